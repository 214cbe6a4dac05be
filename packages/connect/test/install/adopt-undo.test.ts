import { rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { runInProcess } from "../../../../test/support/in-process.ts";
import { type Workspace, workspace } from "../../../../test/support/workspace.ts";

const GROUP = { matcher: "Bash", hooks: [{ type: "command", command: "guard", timeout: 5 }] };
const SETTINGS = `{ "model": "opus", "hooks": { "PreToolUse": [ ${JSON.stringify(GROUP)} ] } }\n`;
const THEIRS = "project/.claude/settings.json";
const OURS = "project/.kodelet/hooks.json";

async function adopted(): Promise<Workspace> {
  const place = await workspace();
  await place.write(THEIRS, SETTINGS);
  expect(await runInProcess(place, "adopt claude")).toMatchObject({ stderr: "", code: 0 });
  return place;
}

async function edit(place: Workspace, file: string, change: (settings: Record<string, unknown>) => void) {
  const settings = JSON.parse((await place.read(file)) ?? "{}");
  change(settings);
  await place.write(file, JSON.stringify(settings));
}

const theirs = async (place: Workspace) => JSON.parse((await place.read(THEIRS)) ?? "null");

test.each([
  ["project", "user"],
  ["user", "project"],
])(
  "what was adopted in the %s settings is not undone in those of the %s, and the command that does it is named",
  async (scope, other) => {
    await using place = await workspace();
    await place.write(scope === "user" ? "home/.claude/settings.json" : THEIRS, SETTINGS);
    const named = (one: string) => (one === "user" ? " --scope user" : "");
    expect(await runInProcess(place, `adopt claude --scope ${scope}`)).toMatchObject({ stderr: "", code: 0 });
    expect(await runInProcess(place, `adopt claude --undo --scope ${other}`)).toEqual({
      stdout: "",
      stderr:
        `✖ Nothing of Claude Code was adopted in its ${other} settings. (USAGE_WRONG_WORDS)\n` +
        `  Try: hookctl adopt claude --undo${named(scope)}\n`,
      code: 64,
    });
    const undone = await runInProcess(place, `adopt claude --undo${named(scope)}`);
    expect(undone).toMatchObject({ stdout: expect.not.stringContaining("uninstall"), stderr: "", code: 0 });
  },
);

test("--undo --dry-run shows the difference and writes nothing", async () => {
  await using place = await adopted();
  const before = [await place.read(THEIRS), await place.read(OURS)];
  const result = await runInProcess(place, "adopt claude --undo --dry-run");
  expect(result).toMatchObject({ stderr: "", code: 0 });
  expect(result.stdout).toContain("2 changes. Nothing was written. To apply: hookctl adopt claude --undo\n");
  expect([await place.read(THEIRS), await place.read(OURS)]).toEqual(before);
  const json = JSON.parse((await runInProcess(place, "adopt claude --undo --dry-run --json")).stdout);
  expect(json).toMatchObject({
    schema: "hookctl.adopt/1",
    dry_run: true,
    files: [{ after: SETTINGS }, { after: null }],
  });
});

test("--undo approves no settings that nobody has approved", async () => {
  await using place = await workspace();
  await place.write(THEIRS, SETTINGS);
  const mine = { version: 1, hooks: { before_tool_call: [{ name: "mine", command: "true" }] } };
  await place.write(OURS, JSON.stringify(mine));
  expect(await runInProcess(place, "adopt claude")).toMatchObject({ stderr: "", code: 0 });
  expect(await runInProcess(place, "adopt claude --undo")).toMatchObject({ stderr: "", code: 0 });
  const [hook] = JSON.parse((await runInProcess(place, "list --json")).stdout).hooks;
  expect(hook).toMatchObject({ name: "mine", trust: "untrusted" });
});

describe("after an edit --undo gives the hooks back all the same", () => {
  test("of the agent's settings: the edit stays, our lines go", async () => {
    await using place = await adopted();
    await edit(place, THEIRS, (settings) => {
      settings.model = "haiku";
    });
    expect(await runInProcess(place, "adopt claude --undo")).toEqual({
      stdout: `✔ Restored .claude/settings.json\n✔ Removed .kodelet/hooks.json\n`,
      stderr: "",
      code: 0,
    });
    expect(await theirs(place)).toEqual({ model: "haiku", hooks: { PreToolUse: [GROUP] } });
    expect(await place.read(OURS)).toBeNull();
  });

  test("of our settings: the other entries stay", async () => {
    await using place = await adopted();
    const mine = [{ inject: "x" }];
    await edit(place, OURS, (settings) => {
      settings.hooks = { ...Object(settings.hooks), turn_end: mine };
    });
    expect(await runInProcess(place, "adopt claude --undo")).toMatchObject({ stderr: "", code: 0 });
    expect(await place.read(THEIRS)).toBe(SETTINGS);
    expect(JSON.parse((await place.read(OURS)) ?? "")).toEqual({ version: 1, hooks: { turn_end: mine } });
  });

  test("of an entry that was taken over: it stays, and is named", async () => {
    await using place = await adopted();
    await place.write(OURS, ((await place.read(OURS)) ?? "").replace('"5s"', '"9s"'));
    expect(await runInProcess(place, "adopt claude --undo")).toEqual({
      stdout:
        "✔ Restored .claude/settings.json\n" +
        "▲ claude-PreToolUse-1 was edited after the migration and stays in hookctl's settings\n",
      stderr: "",
      code: 0,
    });
    expect(await place.read(OURS)).toContain('"9s"');
  });

  test("that took one of the files away", async () => {
    await using place = await adopted();
    await rm(join(place.project, ".claude"), { recursive: true });
    await rm(join(place.dir, OURS));
    expect(await runInProcess(place, "adopt claude --undo")).toMatchObject({ stderr: "", code: 0 });
    expect(await theirs(place)).toEqual({ hooks: { PreToolUse: [GROUP] } });
    expect(await place.read(OURS)).toBeNull();
  });

  test("that moved our settings into another form: they are left alone", async () => {
    await using place = await adopted();
    await rm(join(place.dir, OURS));
    const yaml = "hooks:\n  turn_end:\n    - inject: x\n";
    await place.write("project/.kodelet/hooks.yaml", yaml);
    expect(await runInProcess(place, "adopt claude --undo")).toMatchObject({ stderr: "", code: 0 });
    expect(await place.read(THEIRS)).toBe(SETTINGS);
    expect(await place.read("project/.kodelet/hooks.yaml")).toBe(yaml);
  });

  test("that put the hooks back already: they stand there once", async () => {
    await using place = await adopted();
    await place.write(THEIRS, `${SETTINGS}\n`);
    expect(await runInProcess(place, "adopt claude --undo")).toMatchObject({ stderr: "", code: 0 });
    expect(await place.read(THEIRS)).toBe(`${SETTINGS}\n`);
    expect(await place.read(OURS)).toBeNull();
  });

  test("and a second adoption: what both took comes back", async () => {
    await using place = await adopted();
    const second = { hooks: [{ type: "command", command: "second" }] };
    await edit(place, THEIRS, ({ hooks }) => Object(hooks).PreToolUse.push(second));
    expect((await runInProcess(place, "adopt claude")).stdout).toContain("claude-PreToolUse-2");
    expect(await runInProcess(place, "adopt claude --undo")).toMatchObject({ stderr: "", code: 0 });
    const { hooks } = await theirs(place);
    expect(Object.keys(hooks)).toEqual(["PreToolUse"]);
    expect(hooks.PreToolUse).toHaveLength(2);
    expect(hooks.PreToolUse).toEqual(expect.arrayContaining([GROUP, second]));
    expect(await place.read(OURS)).toBeNull();
  });
});

test("lines that install wrote before or since stay when the hooks are given back", async () => {
  await using place = await adopted();
  await runInProcess(place, "install claude --fail-closed");
  expect(await runInProcess(place, "adopt claude --undo")).toMatchObject({ stderr: "", code: 0 });
  expect(await place.read(THEIRS)).toContain("--fail-closed");
  expect((await theirs(place)).hooks.PreToolUse).toContainEqual(GROUP);
  expect(await runInProcess(place, "uninstall claude")).toMatchObject({ stderr: "", code: 0 });
  expect(await theirs(place)).toEqual({ model: "opus", hooks: { PreToolUse: [GROUP] } });
});

test("uninstall is refused while hooks are taken over: nobody would ask them", async () => {
  await using place = await adopted();
  const before = await place.read(THEIRS);
  for (const line of ["uninstall claude", "uninstall claude --dry-run"]) {
    expect(await runInProcess(place, line)).toEqual({
      stdout: "",
      stderr: expect.stringContaining("restore them first. (USAGE_WRONG_WORDS)\n  Try: hookctl adopt claude --undo\n"),
      code: 64,
    });
  }
  expect(await place.read(THEIRS)).toBe(before);
  await runInProcess(place, "adopt claude --undo");
  expect(await runInProcess(place, "uninstall claude")).toMatchObject({ stderr: "", code: 0 });
  expect(await place.read(THEIRS)).toBe(SETTINGS);
});

test.each([
  ["the agent's settings", THEIRS, "AGENT_SETTINGS_NOT_PARSED"],
  ["our settings", OURS, "CONFIG_NOT_PARSED"],
])("%s that do not parse any more are left alone, and --undo can be tried again", async (_, file, problem) => {
  await using place = await adopted();
  const before = (await place.read(file)) ?? "";
  await place.write(file, "{ nonsense");
  const result = await runInProcess(place, "adopt claude --undo");
  expect(result).toMatchObject({ stdout: "", stderr: expect.stringContaining(problem), code: 78 });
  expect(await place.read(file)).toBe("{ nonsense");
  await place.write(file, before);
  expect(await runInProcess(place, "adopt claude --undo")).toMatchObject({ stderr: "", code: 0 });
  expect(await place.read(THEIRS)).toBe(SETTINGS);
});
