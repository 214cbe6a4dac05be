import { chmod, mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { runInProcess } from "../support/in-process.ts";
import { parseListJson, parseRunJson } from "../support/json-output.ts";
import { printResponse } from "../support/shell.ts";
import { type Workspace, workspace } from "../support/workspace.ts";

const STDIN = JSON.stringify({ tool_name: "bash", tool_input: { command: "ls" } });
const blocks = (reason: string): string => printResponse({ blocked: true, reason });

async function listed(place: Workspace) {
  const { hooks, skipped } = parseListJson(await runInProcess(place, "list --json"));
  return { names: hooks.map(({ name }) => name), skipped: skipped.map(({ name, reason }) => `${name} ${reason}`) };
}

describe("every folder of plugins brings its hooks", () => {
  const names: readonly (readonly [folder: string, name: string])[] = [
    ["org@repo", "org/repo/guard"],
    ["guards", "guards/guard"],
    ["org@repo@v2", "org/repo@v2/guard"],
    ["@repo", "@repo/guard"],
    ["with space", "with space/guard"],
    ["guards.disable", "guards.disable/guard"],
  ];
  for (const scope of ["project", "user"] as const) {
    test.each(names)(`of the ${scope}: %s as %s`, async (plugin, name) => {
      await using place = await workspace();
      await place.hook("guard", blocks("by plugin"), { plugin, scope });
      if (scope === "project") {
        expect(parseRunJson(await runInProcess(place, "run before_tool_call --json", { stdin: STDIN }))).toMatchObject({
          hooks: [{ name, outcome: "refused" }],
        });
        const word = name.includes(" ") ? "--yes" : name;
        expect(await runInProcess(place, `trust ${word}`)).toMatchObject({ code: 0 });
      }
      expect(parseListJson(await runInProcess(place, "list --json")).hooks).toMatchObject([
        { name, source: `${scope}-plugin`, events: ["before_tool_call"] },
      ]);
      const result = await runInProcess(place, "run before_tool_call --json", { stdin: STDIN });
      expect(parseRunJson(result)).toMatchObject({ decision: "block", decided_by: name, reason: "by plugin" });
      expect(result.code).toBe(2);
    });
  }

  test("in the order of kodelet: project, its plugins by name, user, its plugins; one name counts once", async () => {
    await using place = await workspace();
    for (const scope of ["user", "project"] as const) {
      for (const plugin of ["zeta", "alpha@x", undefined]) {
        await place.hook("same", ":", { scope, ...(plugin === undefined ? {} : { plugin }) });
        await place.hook(`${scope}-own`, ":", { scope, ...(plugin === undefined ? {} : { plugin }) });
      }
    }
    await runInProcess(place, "trust --yes");
    const { names: found } = await listed(place);
    expect(found).toEqual([
      ...["project-own", "same", "alpha/x/project-own", "alpha/x/same", "zeta/project-own", "zeta/same"],
      ...["user-own", "alpha/x/user-own", "zeta/user-own"],
    ]);
  });

  test("a link to a plugin is one; a file, a folder without hooks and a folder of git are none", async () => {
    await using place = await workspace();
    const plugins = join(place.home, ".kodelet", "plugins");
    await place.hook("guard", ":", { plugin: ".git" });
    await place.write(join(plugins, "README.md"), "about these plugins");
    await mkdir(join(plugins, "only-skills", "skills"), { recursive: true });
    await mkdir(join(place.home, "elsewhere"), { recursive: true });
    await place.write(join(place.home, "elsewhere", "hooks", "linked"), "#!/bin/sh\necho before_tool_call\n", 0o755);
    await symlink(join(place.home, "elsewhere"), join(plugins, "theirs"));
    expect(await listed(place)).toEqual({ names: ["theirs/linked"], skipped: [".git dotfile"] });
  });

  test.runIf(process.platform === "linux")("one whose name is not UTF-8 is skipped, and said to be", async () => {
    await using place = await workspace();
    const folder = Buffer.from(`${place.home}/.kodelet/plugins/bad-\xff/hooks`, "latin1");
    await mkdir(folder, { recursive: true });
    await writeFile(Buffer.concat([folder, Buffer.from("/guard")]), "#!/bin/sh\n", { mode: 0o755 });
    expect(await listed(place)).toMatchObject({ names: [], skipped: [expect.stringContaining("name_not_utf8")] });
  });

  test.skipIf(process.getuid?.() === 0)("one that may not be read is said to be (not as root)", async () => {
    await using place = await workspace();
    await place.hook("guard", ":", { plugin: "closed" });
    const folder = join(place.home, ".kodelet", "plugins", "closed");
    await chmod(folder, 0o000);
    const result = await runInProcess(place, "list --json");
    await chmod(folder, 0o755);
    expect(JSON.parse(result.stdout).warnings).toEqual([expect.stringContaining("closed")]);
  });
});

test("chmod is advised for a file that begins like a hook, and not for notes beside the hooks", async () => {
  await using place = await workspace();
  await place.hook("guard", ":", { mode: 0o644 });
  const files = { "README.md": "# Our hooks\n", "words.json": "{}", empty: "", notes: "#\n!" };
  for (const [name, text] of Object.entries(files)) await place.write(`home/.kodelet/hooks/${name}`, text);
  const { stdout } = await runInProcess(place, "list --all");
  const lines = stdout.split("\n").filter((line) => line.includes("not_executable"));
  expect(lines).toHaveLength(5);
  expect(lines.filter((line) => line.includes("chmod"))).toEqual([expect.stringMatching(/^ {2}guard .*chmod \+x/)]);
  const doctor = await runInProcess(place, "doctor");
  expect(doctor.stdout.match(/chmod \+x \S+/g)).toEqual([expect.stringContaining("/guard")]);
});
