import { expect, test } from "vitest";
import { runInProcess } from "../../../../test/support/in-process.ts";
import { hasScript, hookctl, runOnTerminal } from "../../../../test/support/on-terminal.ts";
import { workspace } from "../../../../test/support/workspace.ts";
import { NATIVE } from "../../../agents/test/payloads.ts";

const GUARD = '#!/bin/sh\ncase $(cat) in *"rm -rf"*) echo "no rm here" >&2; exit 2 ;; esac\n';
const SETTINGS = `{
  // mine
  "model": "opus",
  "hooks": {
    "PreToolUse": [
      { "matcher": "Bash", "hooks": [ { "type": "command", "command": "\\"$CLAUDE_PROJECT_DIR\\"/.claude/hooks/guard.sh", "timeout": 5 } ] },
      { "matcher": "mcp__.*__write.*", "hooks": [ { "type": "command", "command": "other" } ] }
    ],
    "SessionStart": [ { "hooks": [ { "type": "command", "command": "echo Use pnpm in $(basename \\"$PWD\\")." } ] } ]
  }
}`;

async function setUp() {
  const place = await workspace();
  await place.write("project/.claude/settings.json", SETTINGS);
  await place.write("project/.claude/hooks/guard.sh", GUARD, 0o755);
  return place;
}

test("hooks of Claude Code are taken over, approved and asked for every agent", async () => {
  await using place = await setUp();
  const result = await runInProcess(place, "adopt claude");
  expect(result).toMatchObject({ stderr: "", code: 0 });
  expect(result.stdout).toContain("✔ Migrated and approved 2 hooks (undo: hookctl adopt claude --undo)");
  expect(result.stdout).toContain("not migrated: PreToolUse: its matcher has no equivalent in `match`");
  const left = await place.read("project/.claude/settings.json");
  expect(left).toContain("mcp__.*__write.*");
  expect(left).not.toContain("guard.sh");
  expect(left).toContain("bridge claude --event PreToolUse");

  const rm = { tool_input: { command: "rm -rf build" } };
  const claude = JSON.stringify({ ...NATIVE.claude.PreToolUse, ...rm });
  expect((await runInProcess(place, "bridge claude --event PreToolUse", { stdin: claude })).stdout).toContain(
    "no rm here (claude-PreToolUse-1,",
  );
  const gemini = JSON.stringify({ ...NATIVE.gemini.BeforeTool, ...rm });
  const denied = await runInProcess(place, "bridge gemini --event BeforeTool", { stdin: gemini });
  expect(denied.stdout).toContain("no rm here");
  const start = await runInProcess(place, "bridge claude", {
    stdin: JSON.stringify({ ...NATIVE.claude.SessionStart, hook_event_name: "SessionStart" }),
  });
  expect(JSON.parse(start.stdout).hookSpecificOutput.additionalContext).toBe("Use pnpm in project.");
});

test.skipIf(!hasScript)("on a terminal it shows the files and asks first, unless --yes is given", async () => {
  await using place = await setUp();
  const refused = await runOnTerminal(place, `${hookctl} adopt claude`, ["n\n"]);
  expect(refused.code).toBe(77);
  expect(refused.shown).toContain("  would change: .kodelet/hooks.json, .claude/settings.json");
  expect(refused.shown).toContain("Nothing was changed");
  expect(await place.read("project/.claude/settings.json")).toBe(SETTINGS);
  const agreed = await runOnTerminal(place, `${hookctl} adopt claude`, ["y\n"]);
  expect(agreed).toMatchObject({ code: 0, shown: expect.stringContaining("Migrated and approved 2 hooks") });
  await runInProcess(place, "adopt claude --undo");
  expect(await runOnTerminal(place, `${hookctl} adopt claude --yes`, [])).toMatchObject({ code: 0 });
});

test("where the user's registration covers the agent, adopt writes no second one, and its undo leaves the first alone", async () => {
  await using place = await setUp();
  await runInProcess(place, "install claude --scope user");
  const { stdout } = await runInProcess(place, "adopt claude");
  expect(stdout).not.toContain("hookctl uninstall");
  expect(await place.read("project/.claude/settings.json")).not.toContain("bridge claude");
  expect(await place.read("home/.claude/settings.json")).toContain("bridge claude");
  const undone = await runInProcess(place, "adopt claude --undo");
  expect(undone).toMatchObject({ stdout: expect.not.stringContaining("hookctl uninstall"), stderr: "", code: 0 });
  expect(await place.read("project/.claude/settings.json")).toBe(SETTINGS);
  expect(await place.read("home/.claude/settings.json")).toContain("bridge claude");
});

test("of two registrations, the advice of adopt removes the narrower", async () => {
  await using place = await setUp();
  for (const scope of ["user", "project"]) await runInProcess(place, `install claude --scope ${scope}`);
  const { stdout } = await runInProcess(place, "adopt claude");
  expect(stdout).toContain("Undo that: hookctl uninstall claude --scope project\n");
});

test("an edit of a file that an adopted hook names asks again", async () => {
  await using place = await setUp();
  await runInProcess(place, "adopt claude");
  await place.write("project/.claude/hooks/guard.sh", "#!/bin/sh\n", 0o755);
  const result = await runInProcess(place, "bridge claude --event PreToolUse", {
    stdin: JSON.stringify(NATIVE.claude.PreToolUse),
  });
  expect(result.stdout).toContain('"permissionDecision":"deny"');
});

test("--undo gives both files back byte for byte", async () => {
  await using place = await setUp();
  await runInProcess(place, "adopt claude");
  expect(await runInProcess(place, "adopt claude --undo")).toMatchObject({ stderr: "", code: 0 });
  expect(await place.read("project/.claude/settings.json")).toBe(SETTINGS);
  expect(await place.read("project/.kodelet/hooks.json")).toBeNull();
  expect(await runInProcess(place, "adopt claude --undo")).toMatchObject({ stdout: "", code: 64 });
});

test("entries go behind those that are there, and twice is once", async () => {
  await using place = await setUp();
  const own = '{\n  "version": 1, // ours\n  "hooks": { "turn_end": [{ "inject": "x" }] }\n}\n'.replace(" // ours", "");
  await place.write("project/.kodelet/hooks.json", own);
  await runInProcess(place, "adopt claude");
  const once = await place.read("project/.kodelet/hooks.json");
  expect(Object.keys(JSON.parse(once ?? "{}").hooks)).toEqual(["turn_end", "claude:PreToolUse", "claude:SessionStart"]);
  expect((await runInProcess(place, "adopt claude")).stdout).toContain(
    "• claude has no hooks in its project settings (.claude/settings.json) that adopt can migrate; for your own settings: hookctl adopt claude --scope user\n",
  );
  expect(await place.read("project/.kodelet/hooks.json")).toBe(once);
});

test("--dry-run shows what would be taken over, and writes nothing", async () => {
  await using place = await setUp();
  const result = await runInProcess(place, "adopt claude --dry-run");
  expect(result.stdout).toContain("2 hooks. Nothing was written. To apply: hookctl adopt claude\n");
  expect(await place.read("project/.claude/settings.json")).toBe(SETTINGS);
  expect(await place.read("project/.kodelet/hooks.json")).toBeNull();
});

test("settings that do not parse are left alone, with the place", async () => {
  await using place = await workspace();
  await place.write("project/.claude/settings.json", "{\n  nonsense\n}");
  expect(await runInProcess(place, "adopt claude")).toEqual({
    stdout: "",
    stderr: expect.stringMatching(
      /^✖ \.claude\/settings\.json cannot be read: line 2: .*\(AGENT_SETTINGS_NOT_PARSED\)\n/s,
    ),
    code: 78,
  });
});

test("agents whose hooks get another payload keep theirs", async () => {
  await using place = await workspace();
  expect(await runInProcess(place, "adopt gemini")).toMatchObject({
    stdout: "",
    stderr: expect.stringContaining(
      "Gemini CLI sends its hooks a different payload from claude, codex, copilot, qwen, droid;",
    ),
    code: 64,
  });
});

test("without an agent it is the one that has hooks, and of an undo the one whose hooks were moved", async () => {
  await using place = await setUp();
  expect((await runInProcess(place, "adopt")).stdout).toContain("✔ Migrated and approved 2 hooks");
  expect(await runInProcess(place, "adopt --undo")).toMatchObject({ stderr: "", code: 0 });
  expect(await place.read("project/.claude/settings.json")).toBe(SETTINGS);
  await place.write("project/.codex/hooks.json", "{}");
  expect((await runInProcess(place, "adopt")).stderr).toContain("missing argument AGENT");
});
