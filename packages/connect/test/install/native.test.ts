import { chmod, cp, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import packageJson from "../../../../package.json" with { type: "json" };
import { personScript, runProgram, type Workspace, workspace } from "../../../../test/support/workspace.ts";

const root = fileURLToPath(new URL("../../../..", import.meta.url));
const NAME = `@hookctl/${process.platform}-${process.arch}`;
const VERSION = packageJson.version;

/** The folder of installed packages with hookctl in it, for all tests: each puts an executable of its own beside it. */
let modules = "";

beforeAll(async () => {
  modules = await realpath(await mkdtemp(join(tmpdir(), "hookctl-test-")));
  const home = join(modules, "hookctl");
  for (const part of ["bin", "dist", "package.json"]) await cp(join(root, part), join(home, part), { recursive: true });
  await symlink(join(root, "node_modules"), join(home, "node_modules"));
});
afterAll(() => rm(modules, { recursive: true, force: true }));

/** hookctl as npm installs it, with a native executable beside it that does what this script does. */
async function installed(place: Workspace, script: string, version = VERSION) {
  const native = join(modules, NAME, "hookctl");
  await mkdir(join(modules, NAME), { recursive: true });
  await writeFile(join(modules, NAME, "package.json"), JSON.stringify({ name: NAME, version }));
  await writeFile(native, `#!/bin/sh\n${script}\n`);
  await chmod(native, 0o755);
  const program = join(modules, "hookctl", "bin", "hookctl.js");
  const env = { PATH: process.env.PATH, HOME: place.home };
  const hookctl = (...words: string[]) =>
    runProgram([process.execPath, personScript, program, ...words], { env, cwd: place.project });
  return { hookctl, native, program };
}

const asNode = (): string => `exec '${process.execPath}' '${modules}/hookctl/bin/hookctl.js' "$@"`;
const SETTINGS = "home/.claude/settings.json";
const LAUNCHER = "home/.kodelet/hookctl";

test("the launcher starts the native executable, and a project looks hookctl up", async () => {
  await using place = await workspace();
  const { hookctl, native } = await installed(place, asNode());
  expect(await hookctl("install", "claude", "--scope", "user")).toMatchObject({ code: 0, stderr: "" });
  expect(await place.read(LAUNCHER)).toContain(`\nexec '${native}' "$@"\n`);
  expect(await hookctl("install", "claude", "--scope", "project")).toMatchObject({ code: 0, stderr: "" });
  expect(await place.read("project/.claude/settings.json")).not.toContain(native);
  // It is known as a registration of hookctl's, and works.
  const { checks } = JSON.parse((await hookctl("doctor", "claude", "--json")).stdout) as {
    readonly checks: readonly { readonly name: string; readonly status: string; readonly detail: string }[];
  };
  expect(checks.find(({ name }) => name === "speed")).toMatchObject({ detail: "native executable works" });
  expect(checks.filter(({ name }) => name === "claude bridge").map(({ status }) => status)).toEqual(["ok", "ok"]);
  expect(await hookctl("uninstall", "claude", "--scope", "user")).toMatchObject({ code: 0 });
  expect(await place.read(SETTINGS)).toBeNull();
});

describe.each([
  {
    title: "does not start here",
    script: "exit 132",
    version: VERSION,
    why: "does not start on this machine",
    tags: [],
  },
  {
    ...{ title: "is another version", script: "echo 9.9.9", version: VERSION },
    ...{ why: "does not start on this machine", tags: ["slow"] },
  },
  {
    ...{ title: "belongs to another version", script: "echo no >&2", version: "9.9.9" },
    ...{ why: "is not installed in this version", tags: ["slow"] },
  },
])("a native executable that $title", ({ script, version, why, tags }) => {
  test("is not registered, and doctor says so", { tags }, async () => {
    await using place = await workspace();
    const { hookctl, native } = await installed(place, script, version);
    await hookctl("install", "claude", "--scope", "user");
    const text = (await place.read(SETTINGS)) ?? "";
    expect(text).toContain("bridge claude --event PreToolUse ");
    expect(await place.read(LAUNCHER)).not.toContain(native);
    expect((await hookctl("doctor", "claude")).stdout).toContain(why);
  });
});

test("doctor tests a registered native executable, and finds out when it is gone", { tags: "slow" }, async () => {
  await using place = await workspace();
  const { hookctl, native } = await installed(place, asNode());
  await hookctl("install", "claude", "--scope", "user");
  await rm(native);
  const result = await hookctl("doctor", "claude");
  expect(result.code).toBe(1);
  expect(result.stdout).toContain(`starts ${native}, which does not exist: `);
});

test("doctor is red at a launcher that install did not write", { tags: "slow" }, async () => {
  await using place = await workspace();
  const { hookctl } = await installed(place, asNode());
  await hookctl("install", "claude", "--scope", "user");
  await place.write(LAUNCHER, "#!/bin/sh\nexit 0\n", 0o755);
  const result = await hookctl("doctor", "claude");
  expect(result.code).toBe(1);
  expect(result.stdout).toContain("is not as hookctl install wrote it: the registration then blocks every call");
});
