import { describe, expect, test } from "vitest";
import { runInProcess } from "../../../../test/support/in-process.ts";
import { type Workspace, workspace } from "../../../../test/support/workspace.ts";
import { NATIVE } from "../../../agents/test/payloads.ts";

const PROJECT = "project/.claude/settings.json";
const USER = "home/.claude/settings.json";
const closed = { says: '{"event":"agent_stop","fail_open":false}', scope: "project" } as const;
const eventsIn = async (place: Workspace, file: string): Promise<readonly string[]> =>
  Object.keys(JSON.parse((await place.read(file)) ?? "{}").hooks ?? {}).sort();

describe("the registration follows the hooks", () => {
  test("trust registers the events of what it approves, says so, and uninstall still gives the bytes of before", async () => {
    await using place = await workspace();
    const before = '{\n  "model": "opus"\n}\n';
    await place.write(PROJECT, before);
    await runInProcess(place, "install claude");
    await place.hook("stop", "true", closed);
    const result = await runInProcess(place, "trust --yes");
    expect(result.code).toBe(0);
    expect(result.stderr).toContain("• Claude Code: .claude/settings.json now registers Stop too\n");
    const events = ["ConfigChange", "PreToolUse", "SessionStart", "Stop", "UserPromptSubmit"];
    expect(await eventsIn(place, PROJECT)).toEqual(events);
    expect(result.stderr).toContain(
      "▲ Claude Code: a hook is fail-closed, but .claude/settings.json is not: if hookctl cannot run, calls are allowed\n" +
        "  To block them: hookctl init claude --fail-closed --scope project\n",
    );
    await runInProcess(place, "uninstall claude");
    expect(await place.read(PROJECT)).toBe(before);
  });

  test("what is in step already, and a choice of --fail-open, stay as they are", async () => {
    await using place = await workspace();
    await runInProcess(place, "install claude --events Stop,SessionStart --fail-open");
    const text = await place.read(PROJECT);
    await place.hook("stop", "true", closed);
    expect((await runInProcess(place, "trust --yes")).stderr).not.toContain("Claude Code");
    expect(await place.read(PROJECT)).toBe(text);
  });

  test("a registration of the user takes it where the project has none; where both are, only one", async () => {
    await using place = await workspace();
    await runInProcess(place, "install claude --scope user");
    await place.hook("stop", "true", { ...closed, says: "agent_stop" });
    expect((await runInProcess(place, "trust --yes")).stderr).toContain(
      "~/.claude/settings.json now registers Stop too\n",
    );
    expect(await eventsIn(place, USER)).toContain("Stop");
    await runInProcess(place, "install claude --events Notification --scope project");
    await place.hook("end", "true", { ...closed, says: "session_end" });
    await runInProcess(place, "trust --yes");
    expect(await eventsIn(place, PROJECT)).toEqual(["Notification", "SessionEnd"]);
    expect(await eventsIn(place, USER)).not.toContain("SessionEnd");
  });

  test("new does the same", async () => {
    await using place = await workspace();
    await runInProcess(place, "install claude --events Notification");
    const made = await runInProcess(place, "new ender --event agent_stop --lang bash");
    expect(made.stderr).toContain(".claude/settings.json now registers ");
    expect(await eventsIn(place, PROJECT)).toContain("Stop");
  });

  test("adopt registers the events of what it took with the other agents too", async () => {
    await using place = await workspace();
    await runInProcess(place, "install codex");
    await place.write(PROJECT, '{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"true","timeout":90}]}]}}');
    const result = await runInProcess(place, "adopt claude");
    expect(result.stderr).toContain("• Codex CLI: .codex/hooks.json now registers Stop too\n");
    expect(JSON.parse((await place.read("project/.codex/hooks.json")) ?? "{}").hooks.Stop).toHaveLength(1);
  });

  test("nothing is written where nothing is registered, nor beside lines that somebody else wrote", async () => {
    await using place = await workspace();
    const theirs = '{"hooks":{"PreToolUse":[{"hooks":[{"command":"nice hookctl bridge claude --event PreToolUse"}]}]}}';
    await place.write(PROJECT, theirs);
    await place.hook("stop", "true", closed);
    expect((await runInProcess(place, "trust --yes")).stderr).not.toContain("Claude Code");
    expect(await place.read(PROJECT)).toBe(theirs);
    expect(await place.read(USER)).toBeNull();
  });
});

describe("hooks of events that are not registered are told to the person when a session starts", () => {
  const bridged = (place: Workspace, agent: "claude" | "opencode" | "codex", event: string) =>
    runInProcess(place, `bridge ${agent} --event ${event}`, { stdin: JSON.stringify(NATIVE[agent][event]) });

  test.each(["project", "user"])("registered for %s", async (scope) => {
    await using place = await workspace();
    await runInProcess(place, `install claude --scope ${scope}`);
    await place.hook("stop", "true", { says: "agent_stop" });
    const result = await bridged(place, "claude", "SessionStart");
    const line = scope === "user" ? "hookctl init claude --scope user" : "hookctl init claude --scope project";
    const words = `hooks exist for Stop, but Claude Code does not call hookctl for them. To register: ${line}`;
    expect(JSON.parse(result.stdout).systemMessage).toContain(words);
    expect(result.stderr).toContain(words);
    expect(await place.read("home/.local/state/hookctl/audit.jsonl")).toContain("EVENT_NOT_REGISTERED");
    await runInProcess(place, line.replace("hookctl ", ""));
    expect((await bridged(place, "claude", "SessionStart")).stdout).not.toContain("hooks exist for");
  });

  test("an agent that does not tell when a session starts: once, at a prompt", async () => {
    await using place = await workspace();
    await runInProcess(place, "install opencode");
    await place.hook("after", "true", { says: "after_tool_call" });
    const result = await bridged(place, "opencode", "chat.message");
    expect(JSON.parse(result.stdout).tell).toContain("hooks exist for tool.execute.after, but opencode");
    expect((await bridged(place, "opencode", "chat.message")).stdout).toBe("");
  });

  test("not at other events, and not where nothing is known of the registration", async () => {
    await using place = await workspace();
    await place.hook("stop", "true", { says: "agent_stop" });
    expect((await bridged(place, "claude", "SessionStart")).stdout).not.toContain("hooks exist for");
    await runInProcess(place, "install claude --events PreToolUse");
    expect((await bridged(place, "claude", "PreToolUse")).stdout).toBe("");
  });
});
