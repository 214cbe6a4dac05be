import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { AGENT_NAMES } from "../../../../src/protocol/agent-names.ts";
import { runInProcess } from "../../../../test/support/in-process.ts";
import { workspace } from "../../../../test/support/workspace.ts";
import { AGENT_INSTALLS } from "../../../agents/agents.ts";
import { everything, projectFile, TEXTS, testByteForByte } from "./byte-for-byte.ts";

const asModule = AGENT_NAMES.filter((agent) => AGENT_INSTALLS[agent].format.kind === "module");

testByteForByte(TEXTS.slice(0, 1));

describe.each(AGENT_NAMES)("%s", (agent) => {
  const path = projectFile(agent);

  test("where there was nothing, nothing is left behind", async () => {
    await using place = await workspace();
    const before = await everything(place);
    await runInProcess(place, `install ${agent}`);
    expect(await place.read(`project/${path}`)).toContain(`bridge ${agent} --event`);
    expect((await runInProcess(place, `uninstall ${agent}`)).stdout).toContain(`✔ Removed ${path}\n`);
    expect(await everything(place)).toEqual(before);
    expect((await runInProcess(place, `uninstall ${agent}`)).stdout).toBe(
      `• ${path} does not call hookctl, nothing to undo\n`,
    );
  });
});

describe.each(asModule)("%s", (agent) => {
  const path = projectFile(agent);

  test("a file of somebody else in its place is left alone", async () => {
    await using place = await workspace();
    const file = await place.write(`project/${path}`, "export const mine = 1;\n");
    expect(await runInProcess(place, `install ${agent}`)).toEqual({
      stdout: "",
      stderr: expect.stringContaining(`✖ ${path} cannot be read: line 1: hookctl did not write this file`),
      code: 78,
    });
    expect((await runInProcess(place, `uninstall ${agent}`)).stdout).toBe(
      `• ${path} does not call hookctl, nothing to undo\n`,
    );
    expect(await place.read(file)).toBe("export const mine = 1;\n");
  });

  test("twice is once, and a file of ours goes even when it was edited or came with the project", async () => {
    await using place = await workspace();
    await runInProcess(place, `install ${agent}`);
    const once = (await place.read(`project/${path}`)) ?? "";
    expect((await runInProcess(place, `install ${agent}`)).stdout).toBe(`• already installed in ${path}\n`);
    await place.write(`project/${path}`, `${once}// more\n`);
    expect((await runInProcess(place, `uninstall ${agent}`)).stdout).toBe(`✔ Removed ${path}\n`);
    await place.write(`project/${path}`, once);
    expect((await runInProcess(place, `uninstall ${agent}`)).stdout).toBe(`✔ Removed ${path}\n`);
    expect(await place.read(`project/${path}`)).toBeNull();
  });
});

test("what belongs to goose's registration is there already, and asks nobody", async () => {
  await using place = await workspace();
  await runInProcess(place, "install goose");
  expect(await runInProcess(place, "install goose")).toEqual({
    stdout:
      "• already installed in .agents/plugins/hookctl/hooks/hooks.json\n" +
      "• unchanged: .agents/plugins/hookctl/plugin.json\n",
    stderr: "",
    code: 0,
  });
});

test("--dry-run shows the difference and writes nothing", async () => {
  await using place = await workspace();
  const file = await place.write("project/.claude/settings.json", '{ "model": "opus" }\n');
  const result = await runInProcess(place, "install claude --dry-run --events PreToolUse");
  expect(result).toMatchObject({ stderr: "", code: 0 });
  expect(result.stdout).toMatch(/^ \.claude\/settings\.json {3}\(comments and order are unchanged\)\n/);
  expect(result.stdout).toContain("bridge claude --event PreToolUse");
  expect(result.stdout).toContain(
    "2 changes. Nothing was written. To apply: hookctl install claude --events PreToolUse\n",
  );
  expect(await place.read(file)).toBe('{ "model": "opus" }\n');
});

test.each([
  '{\n  "model": "opus"\n}\n',
  '{\n  "model": "opus",\n  /* mine */ "hooks": {}\n}\n',
  '{\n\t"hooks": {\n\t\t// mine\n\t\t"PreToolUse": [],\n\t\t"Stop": []\n\t},\n\t"model": "opus"\n}\n',
])("settings that were edited since lose our lines and nothing else: %j", async (text) => {
  await using place = await workspace();
  const file = await place.write("project/.claude/settings.json", text);
  await runInProcess(place, "install claude");
  await place.write(file, ((await place.read(file)) ?? "").replace("opus", "haiku"));
  await runInProcess(place, "uninstall claude");
  expect(await place.read(file)).toBe(text.replace("opus", "haiku"));
});

const MINE = '"permissions": { "deny": ["Bash(rm:*)"] }';

test.each([
  ["where there was a file", '{\n  "model": "opus"\n}\n', `{\n  ${MINE},\n  "model": "opus"\n}\n`],
  ["where there was none", null, `{\n  ${MINE}\n}\n`],
])("an edit between two installs stays, and none of our lines does, %s", async (_, text, left) => {
  await using place = await workspace();
  if (text !== null) await place.write("project/.claude/settings.json", text);
  await runInProcess(place, "install claude");
  const once = (await place.read("project/.claude/settings.json")) ?? "";
  await place.write("project/.claude/settings.json", once.replace("{\n", `{\n  ${MINE},\n`));
  await runInProcess(place, "install claude --fail-closed");
  const result = await runInProcess(place, "uninstall claude");
  expect(result).toEqual({ stdout: "✔ Restored .claude/settings.json\n", stderr: "", code: 0 });
  expect(await place.read("project/.claude/settings.json")).toBe(left);
});

test("a file that was made for our lines goes, also when its space was changed between two installs", async () => {
  await using place = await workspace();
  const before = await everything(place);
  await runInProcess(place, "install copilot");
  const file = "project/.github/hooks/hookctl.json";
  await place.write(file, `${await place.read(file)}\n`);
  await runInProcess(place, "install copilot --fail-closed");
  const result = await runInProcess(place, "uninstall copilot");
  expect(result).toEqual({ stdout: "✔ Removed .github/hooks/hookctl.json\n", stderr: "", code: 0 });
  expect(await everything(place)).toEqual(before);
});

test("lines that came with the project are no state of before", async () => {
  await using place = await workspace();
  const file = "project/.claude/settings.json";
  const theirs = "hookctl bridge claude --event PreToolUse --deadline 58s";
  await place.write(
    file,
    JSON.stringify({ hooks: { PreToolUse: [{ hooks: [{ type: "command", command: theirs }] }] } }),
  );
  await runInProcess(place, "install claude");
  expect(await runInProcess(place, "uninstall claude")).toMatchObject({ stderr: "", code: 0 });
  expect(await place.read(file)).toBe("{}");
});

test("a handler that somebody added to our group survives install and uninstall", async () => {
  await using place = await workspace();
  const file = "project/.claude/settings.json";
  await runInProcess(place, "install claude --events PreToolUse");
  const settings = JSON.parse((await place.read(file)) ?? "{}");
  settings.hooks.PreToolUse[0].hooks.push({ type: "command", command: "mine" });
  await place.write(file, JSON.stringify(settings));
  expect(await runInProcess(place, "install claude --events PreToolUse --fail-closed")).toMatchObject({
    stderr: "",
    code: 0,
  });
  expect(await place.read(file)).toMatch(/--fail-closed.*"command":"mine"/s);
  expect(await runInProcess(place, "uninstall claude")).toEqual({
    stdout: "✔ Restored .claude/settings.json\n",
    stderr: "",
    code: 0,
  });
  expect(JSON.parse((await place.read(file)) ?? "")).toEqual({
    hooks: { PreToolUse: [{ hooks: [{ type: "command", command: "mine" }] }] },
  });
});

test("a record that is none of ours undoes nothing", async () => {
  await using place = await workspace();
  await runInProcess(place, "install claude");
  const folder = "home/.local/state/hookctl/installs";
  const after = await place.read("project/.claude/settings.json");
  for (const name of await readdir(join(place.dir, folder)))
    await place.write(`${folder}/${name}`, JSON.stringify({ before: 1, after, folders: [] }));
  expect((await runInProcess(place, "uninstall claude")).stdout).toBe("✔ Restored .claude/settings.json\n");
  expect(await place.read("project/.claude/settings.json")).toBe("{}\n");
});

test("a file that was emptied since has nothing to undo", async () => {
  await using place = await workspace();
  await runInProcess(place, "install claude");
  await place.write("project/.claude/settings.json", "");
  expect(await runInProcess(place, "uninstall claude")).toEqual({
    stdout: "• .claude/settings.json does not call hookctl, nothing to undo\n",
    stderr: "",
    code: 0,
  });
});

test("settings that do not parse are left alone, with the place", async () => {
  await using place = await workspace();
  const file = await place.write("project/.claude/settings.json", '{\n  "hookctl": opus\n}\n');
  for (const verb of ["install", "uninstall"]) {
    expect(await runInProcess(place, `${verb} claude`)).toEqual({
      stdout: "",
      stderr: expect.stringMatching(
        /^✖ \.claude\/settings\.json cannot be read: line 2: .*\(AGENT_SETTINGS_NOT_PARSED\)\n/s,
      ),
      code: 78,
    });
  }
  expect(await place.read(file)).toBe('{\n  "hookctl": opus\n}\n');
});

test("settings that are not UTF-8 are left alone", async () => {
  await using place = await workspace();
  const bytes = Buffer.from([0x7b, 0x22, 0x61, 0x22, 0x3a, 0x22, 0xff, 0x22, 0x7d]);
  const file = await place.write("project/.claude/settings.json", bytes);
  for (const verb of ["install", "adopt", "uninstall"]) {
    expect(await runInProcess(place, `${verb} claude`)).toMatchObject({
      stdout: "",
      stderr: expect.stringContaining("it is not UTF-8"),
      code: 78,
    });
  }
  expect(await readFile(file)).toEqual(bytes);
});

test("Codex's inline hooks get ours in the same file, and are whole again afterwards", async () => {
  await using place = await workspace();
  const text = 'model = "m"\n\n[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = "command"\ncommand = "x"';
  const file = await place.write("project/.codex/config.toml", text);
  expect((await runInProcess(place, "install codex")).stdout).toContain("✔ Wrote .codex/config.toml");
  expect(await place.read(file)).toContain("[[hooks.PreToolUse]]");
  expect(await place.read("project/.codex/hooks.json")).toBeNull();
  expect((await runInProcess(place, "uninstall codex")).stdout).toBe("✔ Restored .codex/config.toml\n");
  expect(await place.read(file)).toBe(text);
});

test("Factory Droid reads hooks from settings.json alone: ours go there, beside the others", async () => {
  await using place = await workspace();
  const text = '{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"x"}]}]}}';
  const file = await place.write("project/.factory/settings.json", text);
  expect((await runInProcess(place, "install droid")).stdout).toContain("✔ Wrote .factory/settings.json");
  expect(await place.read(file)).toContain("bridge droid --event PreToolUse");
  expect(await place.read("project/.factory/hooks.json")).toBeNull();
  expect((await runInProcess(place, "uninstall droid")).stdout).toBe("✔ Restored .factory/settings.json\n");
  expect(await place.read(file)).toBe(text);
});

describe("a registration in Factory Droid's hooks.json, which it does not read", () => {
  const ours = { type: "command", command: "hookctl bridge droid --event PostToolUse --deadline 58s --fail-closed" };
  const former = JSON.stringify({ hooks: { PostToolUse: [{ hooks: [ours] }] } });

  test("is red in doctor, and install moves it with its events and its being closed", async () => {
    await using place = await workspace();
    await place.write("project/.factory/hooks.json", former);
    const result = await runInProcess(place, "doctor droid");
    expect(result).toMatchObject({ stderr: "", code: 1 });
    expect(result.stdout).toContain(
      "✖ droid entry: Factory Droid does not read .factory/hooks.json, where hookctl is registered\n",
    );
    expect((await runInProcess(place, "install droid")).stdout).toContain("✔ Wrote .factory/settings.json");
    const text = await place.read("project/.factory/settings.json");
    expect(text).toMatch(/bridge droid --event PostToolUse .*--fail-closed/);
    expect(await place.read("project/.factory/hooks.json")).not.toContain("hookctl");
  });

  test("is taken out by uninstall, and what others wrote there stays", async () => {
    await using place = await workspace();
    const theirs = { Stop: [{ hooks: [{ type: "command", command: "x" }] }] };
    const both = { hooks: { PostToolUse: [{ hooks: [ours] }], ...theirs } };
    await place.write("project/.factory/hooks.json", JSON.stringify(both));
    expect(await runInProcess(place, "uninstall droid")).toMatchObject({ stderr: "", code: 0 });
    expect(JSON.parse((await place.read("project/.factory/hooks.json")) ?? "")).toEqual({ hooks: theirs });
  });
});

test("each scope has its own file, and an agent's variable moves the user's", async () => {
  await using place = await workspace();
  await runInProcess(place, "install claude --scope user");
  await runInProcess(place, "install claude --scope local");
  await runInProcess(place, "install codex --scope user", { env: { CODEX_HOME: "DIR/moved" } });
  expect(await place.read("home/.claude/settings.json")).toContain("bridge claude");
  expect(await place.read("project/.claude/settings.local.json")).toContain("bridge claude");
  expect(await place.read("moved/hooks.json")).toContain("bridge codex");
  expect(await place.read("project/.claude/settings.json")).toBeNull();
});

test.each([
  ["install clade", 'init: unknown agent "clade"', "hookctl init claude"],
  ["install", "init: missing argument AGENT", "hookctl init claude"],
  ["install gemini --scope local", "Gemini CLI has no such scope: project, user", ""],
  ["install claude --events PreTool", "did you mean PreToolUse?", ""],
])("%s: %s", async (call, words, next) => {
  await using place = await workspace();
  const result = await runInProcess(place, call);
  expect(result).toMatchObject({ stdout: "", code: 64 });
  expect(result.stderr).toContain(words);
  expect(result.stderr).toContain(next);
});
