import { chmod, mkdir, readlink, stat, symlink } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { initText } from "../../src/report/scaffold-text.ts";
import { PLAIN_STYLE } from "../../src/report/text-style.ts";
import { runMain } from "../support/in-process.ts";
import { namesOf, parseListJson } from "../support/json-output.ts";
import { type Workspace, workspace } from "../support/workspace.ts";

const FILES = [
  ".kodelet/hooks/deny-dangerous",
  ".kodelet/hooks/audit-log",
  ".kodelet/tests/deny-dangerous.json",
  ".kodelet/hooks.json",
];
const kept = FILES.map((path) => `• ${path} already exists, not changed\n`).join("");
const texts = (place: Workspace): Promise<readonly (string | null)[]> =>
  Promise.all(FILES.map((path) => place.read(`project/${path}`)));

describe("a fresh project", () => {
  test("gets two hooks, test cases and settings, and is told what to type next", async () => {
    await using place = await workspace();
    const result = await runMain(place, ["init"]);
    expect(result).toMatchObject({ stderr: "", code: 0, signal: null });
    expect(result.stdout).toBe(`\
✔ .kodelet/hooks/deny-dangerous    before_tool_call   stops rm -rf, sudo, curl | sh
✔ .kodelet/hooks/audit-log         after_tool_call    appends to .kodelet/audit.jsonl
✔ .kodelet/tests/deny-dangerous.json                  3 test cases
✔ .kodelet/hooks.json                                 settings, with autocompletion in your editor
✔ Approved 2 hooks you just created (hookctl trust --list)

Next:  hookctl list      show the hooks in run order
       hookctl test      test every hook in a scratch folder
       hookctl install claude --dry-run    register hookctl in Claude Code
`);
  });

  test("has hooks that list understands, with settings that it accepts", async () => {
    await using place = await workspace();
    await runMain(place, ["init"]);
    const result = await runMain(place, ["list", "--json"]);
    expect(result).toMatchObject({ stderr: "", code: 0 });
    const list = parseListJson(result);
    expect(namesOf(list)).toEqual(["audit-log", "deny-dangerous"]);
    expect(list.hooks).toMatchObject([
      { events: ["after_tool_call"], fail_open: true, timeout_ms: 3000 },
      { events: ["before_tool_call"], fail_open: false, timeout_ms: 3000 },
    ]);
  });

  test("is created where nobody else may write, with the right to run for the hooks alone", async () => {
    await using place = await workspace();
    await mkdir(join(place.dir, "other"));
    await runMain(place, ["init", "-C", "../other"]);
    const modes = await Promise.all(
      [".kodelet", ".kodelet/hooks", ...FILES].map(async (path) => (await stat(join(place.dir, "other", path))).mode),
    );
    expect(modes.map((mode) => (mode & 0o777).toString(8))).toEqual(["755", "755", "755", "755", "644", "644"]);
    expect(await place.read("project/.kodelet/hooks.json")).toBeNull();
  });

  test("tells a program the same as JSON", async () => {
    await using place = await workspace();
    const [first, second] = [await runMain(place, ["init", "--json"]), await runMain(place, ["init", "--json"])];
    expect(first).toMatchObject({ stderr: "", code: 0 });
    expect(JSON.parse(first.stdout)).toEqual({
      schema: "hookctl.init/1",
      project: place.project,
      files: FILES.map((path) => ({ path, created: true })),
      approved: expect.arrayContaining(FILES.slice(0, 2)),
    });
    expect(JSON.parse(second.stdout)).toMatchObject({
      files: FILES.map((path) => ({ path, created: false })),
      approved: [],
    });
  });

  test("names the schemas of the hookctl that the project installs", async () => {
    await using place = await workspace();
    await runMain(place, ["init"]);
    const settings = JSON.parse((await place.read("project/.kodelet/hooks.json")) ?? "");
    expect(settings.$schema).toBe("../node_modules/hookctl/docs/schema/config.json");
  });
});

describe("what is there", () => {
  test("is kept on a second call, which changes nothing", async () => {
    await using place = await workspace();
    await runMain(place, ["init"]);
    const before = await texts(place);
    expect(await runMain(place, ["init"])).toEqual({ stdout: kept, stderr: "", code: 0, signal: null });
    expect(await texts(place)).toEqual(before);
  });

  test("are settings that cannot be read: told before anything is created", async () => {
    await using place = await workspace();
    await mkdir(join(place.project, ".kodelet/hooks.json"));
    const result = await runMain(place, ["init"]);
    expect(result).toMatchObject({ code: 78, stdout: "", stderr: expect.stringContaining("(CONFIG_NOT_READABLE)") });
    expect(await place.read("project/.kodelet/hooks/audit-log")).toBeNull();
  });

  test.each([
    [".kodelet/hooks.yaml", "hooks:\n  before_tool_call:\n    - block: no\n"],
    [".hookctlrc", "hooks:\n  before_tool_call:\n    - block: no\n"],
    ["package.json", '{"hookctl":{"hooks":{"before_tool_call":[{"block":"no"}]}}}'],
  ])("are settings in %s: they go on counting, and none are created before them", async (path, text) => {
    await using place = await workspace();
    await place.write(`project/${path}`, text);
    const result = await runMain(place, ["init"]);
    expect(result).toMatchObject({ stderr: "", code: 0 });
    expect(result.stdout).toContain(`cases\n• ${path} already holds the settings, not changed\n✔ Approved 2 hooks`);
    expect(await place.read("project/.kodelet/hooks.json")).toBeNull();
    expect(namesOf(parseListJson(await runMain(place, ["list", "--json"])))).toContain("before_tool_call#1");
    expect(JSON.parse((await runMain(place, ["init", "--json"])).stdout).files).toContainEqual({
      path,
      created: false,
    });
  });

  test("is kept and not approved, whether it differs, is a link or is a folder", async () => {
    await using place = await workspace();
    await place.write("project/.kodelet/hooks/deny-dangerous", "mine", 0o600);
    await symlink("/nowhere", join(place.project, ".kodelet/hooks/audit-log"));
    await mkdir(join(place.project, ".kodelet/tests/deny-dangerous.json"), { recursive: true });
    const result = await runMain(place, ["init"]);
    expect(result).toMatchObject({ stderr: "", code: 0 });
    expect(result.stdout.split("\n").slice(0, 4)).toEqual([
      ...FILES.slice(0, 3).map((path) => `• ${path} already exists, not changed`),
      "✔ .kodelet/hooks.json                                 settings, with autocompletion in your editor",
    ]);
    expect(result.stdout).not.toContain("Trusted");
    expect(await place.read("project/.kodelet/hooks/deny-dangerous")).toBe("mine");
    expect(await readlink(join(place.project, ".kodelet/hooks/audit-log"))).toBe("/nowhere");
  });
});

describe("a place without a project", () => {
  test("HOME itself is refused", async () => {
    await using place = await workspace();
    const result = await runMain(place, ["init"], { cwd: place.home });
    expect(result).toMatchObject({ code: 64, stdout: "", stderr: expect.stringContaining("(PROJECT_IS_HOME)") });
    expect(await place.read("home/.kodelet/hooks.json")).toBeNull();
  });

  test("a folder that is not there is refused", async () => {
    await using place = await workspace();
    const result = await runMain(place, ["init", "-C", "nowhere"]);
    expect(result).toMatchObject({ code: 64, stdout: "", stderr: expect.stringContaining("(PROJECT_MISSING)") });
  });

  test.each([
    { title: "a file", make: (place: Workspace) => place.write("other/.kodelet", "") },
    {
      title: "a link that leaves the project",
      make: async (place: Workspace) => {
        await mkdir(join(place.dir, "other"));
        await symlink(place.home, join(place.dir, "other/.kodelet"));
      },
    },
  ])("a .kodelet that is $title is told, and nothing is written through it", async ({ make }) => {
    await using place = await workspace();
    await make(place);
    const result = await runMain(place, ["init", "-C", "../other"]);
    expect(result).toMatchObject({ code: 74, stdout: "", stderr: expect.stringContaining("(FILE_NOT_WRITTEN)") });
    expect(await place.read("home/hooks.json")).toBeNull();
    expect(await place.read("home/hooks/deny-dangerous")).toBeNull();
  });

  test.skipIf(process.getuid?.() === 0)("a folder that may not be written is told (not as root)", async () => {
    await using place = await workspace();
    const other = join(place.dir, "other");
    await mkdir(other);
    await chmod(other, 0o555);
    const result = await runMain(place, ["init", "-C", other]);
    expect(result).toMatchObject({ code: 74, stdout: "", stderr: expect.stringContaining("EACCES") });
  });

  test.skipIf(process.platform !== "linux")("a file system that takes no files is told", async () => {
    await using place = await workspace();
    const result = await runMain(place, ["init", "-C", "/proc/self"]);
    expect(result).toMatchObject({ code: 74, stdout: "", stderr: expect.stringContaining("(FILE_NOT_WRITTEN)") });
  });
});

test("--no-hooks starts nothing, so nothing is approved", async () => {
  await using place = await workspace();
  const result = await runMain(place, ["init", "--no-hooks", "--json"]);
  expect(JSON.parse(result.stdout)).toMatchObject({ approved: [] });
});

test("the text names the approvals of this call", () => {
  const file = { path: FILES[0] ?? "", created: true, event: "", about: "" };
  const report = { project: "/p", isAbove: false, files: [file], settings: null, approved: [file.path, "b"] };
  expect(initText(report, PLAIN_STYLE)).toContain(
    "\n✔ Approved 2 hooks you just created (hookctl trust --list)\n\nNext:",
  );
});
