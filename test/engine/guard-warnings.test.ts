import { describe, expect, test } from "vitest";
import { runInProcess } from "../support/in-process.ts";
import { type Workspace, workspace } from "../support/workspace.ts";

const PAYLOAD = JSON.stringify({ tool_name: "bash", tool_input: { command: "ls" } });
const STORE = "home/.local/state/hookctl/trust.json";
const RECORD = "home/.local/state/hookctl/audit.jsonl";

/** A folder of hooks that cannot be read as one: its guards, if there are any, are lost. */
async function withLostFolder(): Promise<Workspace> {
  const place = await workspace();
  await place.write("home/.kodelet/plugins", "a file in the place of a folder");
  return place;
}

const LOST = "DIR/home/.kodelet/plugins cannot be read: ENOTDIR";

describe("a warning that a guard does not protect", () => {
  test("is on stderr, and is a code in the answer as JSON and in the audit log", async () => {
    await using place = await withLostFolder();
    const plain = await runInProcess(place, "run before_tool_call", { stdin: PAYLOAD });
    expect(plain).toEqual({ stdout: expect.stringContaining('"blocked":false'), stderr: `▲ ${LOST}\n`, code: 0 });
    const { stdout, stderr, code } = await runInProcess(place, "run before_tool_call --json", { stdin: PAYLOAD });
    expect({ stderr, code }).toEqual({ stderr: `▲ ${LOST}\n`, code: 0 });
    expect(JSON.parse(stdout)).toMatchObject({
      warnings: [LOST],
      guard_warnings: [{ code: "FOLDER_UNREADABLE", hook: null, message: LOST }],
    });
    const lines = ((await place.read(RECORD)) ?? "").trimEnd().split("\n");
    expect(lines.map((line) => JSON.parse(line).guard_warnings)).toEqual(
      lines.map(() => [{ code: "FOLDER_UNREADABLE" }]),
    );
    expect(lines).toHaveLength(2);
    expect((await runInProcess(place, "why")).stdout).toContain(LOST);
  });

  test("reaches the person through a bridge once a session, also after another message", async () => {
    await using place = await withLostFolder();
    const bridged = async (command: string) => {
      const stdin = JSON.stringify({ session_id: "s1", tool_name: "Bash", tool_input: { command } });
      const { stdout, code } = await runInProcess(place, "bridge claude --event PreToolUse", { stdin });
      expect(code).toBe(0);
      return stdout === "" ? null : (JSON.parse(stdout).systemMessage as string | undefined);
    };
    expect(await bridged("ls")).toBe(`hookctl: ${LOST}`);
    expect(await bridged("ls")).toBeNull();
    await place.write(STORE, "{");
    expect(await bridged("ls")).toContain("your approvals cannot be read");
    expect(await bridged("ls")).toBeNull();
    await place.write(STORE, '{"version":1,"approvals":{},"denials":{}}');
    expect(await bridged("ls")).toBeNull();
  });

  test("is not counted as shown at an event at which the agent shows nothing", async () => {
    await using place = await withLostFolder();
    const stdin = JSON.stringify({ sessionId: "s1", toolName: "bash", toolArgs: { command: "ls" } });
    const silent = await runInProcess(place, "bridge copilot --event preToolUse", { stdin });
    expect(silent.stdout).toBe("");
    expect(await place.read(RECORD)).toContain('"session":"s1"');
    const before = JSON.stringify({ session_id: "s1", tool_name: "Bash", tool_input: { command: "ls" } });
    const shown = await runInProcess(place, "bridge claude --event PreToolUse", { stdin: before });
    expect(shown.stdout).toContain("cannot be read");
  });
});

test("a call without a warning leaves no line in the audit log", async () => {
  await using place = await workspace();
  await place.hook("later", "true", { says: "session_end" });
  expect(await runInProcess(place, "run before_tool_call --json", { stdin: PAYLOAD })).toMatchObject({
    stderr: "",
    code: 0,
  });
  expect(await place.read(RECORD)).toBeNull();
});
