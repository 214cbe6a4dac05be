import { chmod, cp, mkdir, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { runProgram, type Workspace, workspace } from "../support/workspace.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const NAME = `@hookctl/${process.platform}-${process.arch}`;
const VERSION = JSON.parse(
  await (await import("node:fs/promises")).readFile(join(root, "package.json"), "utf8"),
).version;

/** hookctl as npm installs it, with a native executable beside it that does what this script does. */
async function installed(place: Workspace, script: string, version = VERSION) {
  const modules = join(place.dir, "lib", "node_modules");
  const home = join(modules, "hookctl");
  await mkdir(home, { recursive: true });
  for (const part of ["bin", "dist", "package.json"]) await cp(join(root, part), join(home, part), { recursive: true });
  await symlink(join(root, "node_modules"), join(home, "node_modules"));
  const native = join(modules, NAME, "hookctl");
  await mkdir(join(modules, NAME), { recursive: true });
  await writeFile(join(modules, NAME, "package.json"), JSON.stringify({ name: NAME, version }));
  await writeFile(native, `#!/bin/sh\n${script}\n`);
  await chmod(native, 0o755);
  const program = join(home, "bin", "hookctl.js");
  const env = { PATH: process.env.PATH, HOME: place.home };
  const hookctl = (...words: string[]) =>
    runProgram([process.execPath, program, ...words], { env, cwd: place.project });
  return { hookctl, native, program };
}

const asNode = (place: Workspace): string =>
  `exec '${process.execPath}' '${place.dir}/lib/node_modules/hookctl/bin/hookctl.js' "$@"`;
const SETTINGS = "home/.claude/settings.json";

test("install registers the native executable for one person, and the portable name for a project", async () => {
  await using place = await workspace();
  const { hookctl, native } = await installed(place, asNode(place));
  expect(await hookctl("install", "claude", "--scope", "user")).toMatchObject({ code: 0, stderr: "" });
  expect(await place.read(SETTINGS)).toContain(`\\"${native}\\" bridge claude --event PreToolUse `);
  expect(await hookctl("install", "claude")).toMatchObject({ code: 0, stderr: "" });
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

test.each([
  ["does not start here", "exit 132", VERSION, "does not start on this machine"],
  ["is another version", "echo 9.9.9", VERSION, "does not start on this machine"],
  ["belongs to another version", "echo no >&2", "9.9.9", "is not installed in this version"],
])("a native executable that %s is not registered, and doctor says so", async (_title, script, version, why) => {
  await using place = await workspace();
  const { hookctl, native } = await installed(place, script, version);
  await hookctl("install", "claude", "--scope", "user");
  const text = (await place.read(SETTINGS)) ?? "";
  expect(text).toContain("bridge claude --event PreToolUse ");
  expect(text).not.toContain(native);
  expect((await hookctl("doctor", "claude")).stdout).toContain(why);
});

test("doctor tests a registered native executable, and finds out when it is gone", async () => {
  await using place = await workspace();
  const { hookctl, native } = await installed(place, asNode(place));
  await hookctl("install", "claude", "--scope", "user");
  await rm(native);
  const result = await hookctl("doctor", "claude");
  expect(result.code).toBe(1);
  expect(result.stdout).toContain(`does not find "${native}"`);
});
