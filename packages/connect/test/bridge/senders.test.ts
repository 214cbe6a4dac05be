import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Host } from "../../../../src/engine/host.ts";
import type { AgentName } from "../../../../src/protocol/agent-names.ts";
import { printableJson } from "../../../../src/protocol/json/write.ts";
import { runInProcess } from "../../../../test/support/in-process.ts";
import { propertyRuns, sampledRows } from "../../../../test/support/property-runs.ts";
import { printResponse } from "../../../../test/support/shell.ts";
import { workspace } from "../../../../test/support/workspace.ts";
import { AGENTS } from "../../../agents/agents.ts";
import { nativeAnswer } from "../../../agents/native-answer.ts";
import { NATIVE } from "../../../agents/test/payloads.ts";
import { verdictOf } from "../../../agents/test/verdicts.ts";
import type { BridgeOptions } from "../../bridge/agent-call.ts";
import { type AgentCall, parseCall } from "../../bridge/agent-call.ts";

interface Sender {
  readonly title: string;
  /** Its name in records, where it is known by certain signs. */
  readonly name: string;
  readonly env: Readonly<Record<string, string>>;
  readonly payload: object;
  /** The registrations that it runs. */
  readonly lines: readonly (readonly [agent: AgentName, event: string])[];
  /** The decision in an answer, in the format that it obeys. */
  readonly decision: (answer: Answer) => unknown;
}
interface Answer {
  readonly permission?: unknown;
  readonly permissionDecision?: unknown;
  readonly hookSpecificOutput?: { readonly permissionDecision?: unknown; readonly hookEventName?: unknown };
}

const claudeDecision = ({ hookSpecificOutput }: Answer) =>
  hookSpecificOutput?.hookEventName === "PreToolUse" ? hookSpecificOutput.permissionDecision : undefined;
const call = { tool_name: "run_in_terminal", tool_input: { command: "ls" } };
const grokCall = { command: "ls", description: "List" };
const vscode = { timestamp: "2026-11-23T19:14:50.630Z", cwd: "/", transcript_path: "/t.jsonl" };
const ofVsCode = {
  name: "claude",
  env: {},
  lines: [
    ["claude", "PreToolUse"],
    ["copilot", "preToolUse"],
    ["copilot", "PreToolUse"],
  ],
  decision: claudeDecision,
} as const;

const SENDERS: readonly Sender[] = [
  {
    title: "Claude Code",
    name: "claude",
    env: {},
    payload: NATIVE.claude.PreToolUse ?? {},
    lines: [["claude", "PreToolUse"]],
    decision: claudeDecision,
  },
  {
    title: "Copilot, its own registration",
    name: "copilot",
    env: { COPILOT_CLI: "1" },
    payload: NATIVE.copilot.preToolUse ?? {},
    lines: [["copilot", "preToolUse"]],
    decision: ({ permissionDecision }) => permissionDecision,
  },
  {
    title: "Copilot, Claude Code's registration",
    name: "copilot",
    env: { COPILOT_CLI: "1" },
    payload: { ...NATIVE.copilot.PreToolUse, hook_event_name: "PreToolUse" },
    lines: [["claude", "PreToolUse"]],
    decision: claudeDecision,
  },
  {
    title: "Cursor",
    name: "cursor",
    env: {},
    payload: { ...NATIVE.cursor.preToolUse, hook_event_name: "preToolUse" },
    lines: [
      ["cursor", "preToolUse"],
      ["claude", "PreToolUse"],
    ],
    decision: ({ permission }) => permission,
  },
  {
    title: "Grok Build",
    name: "grok",
    env: {},
    payload: {
      ...{ hookEventName: "pre_tool_use", sessionId: "s1", cwd: "/", workspaceRoot: "/", timestamp: vscode.timestamp },
      ...{ permissionMode: "default", toolName: "run_terminal_command", toolUseId: "c1", toolInput: grokCall },
      ...{ hook_event_name: "PreToolUse", session_id: "s1", permission_mode: "default", tool_use_id: "c1" },
      ...{ tool_name: "run_terminal_command", tool_input: grokCall },
    },
    lines: [
      ["claude", "PreToolUse"],
      ["cursor", "preToolUse"],
    ],
    decision: claudeDecision,
  },
  {
    title: "VS Code, camel case",
    ...ofVsCode,
    payload: { ...vscode, ...call, sessionId: "s1", hookEventName: "PreToolUse" },
  },
  {
    title: "VS Code, Claude Code's names",
    ...ofVsCode,
    payload: { ...vscode, ...call, session_id: "s1", hook_event_name: "PreToolUse", tool_use_id: "c1" },
  },
  {
    title: "VS Code, without a name of the event",
    ...ofVsCode,
    payload: { ...vscode, ...call, sessionId: "s1" },
  },
  {
    title: "an unknown program with Claude Code's payload",
    name: "claude",
    env: {},
    payload: { session_id: "s1", hook_event_name: "PreToolUse", ...call },
    lines: [["claude", "PreToolUse"]],
    decision: claudeDecision,
  },
];
const LINES = SENDERS.flatMap((sender) => sender.lines.map(([agent, event]) => ({ ...sender, agent, event })));

/** The bridge's options and host, as far as reading a call needs them. */
async function heardCall({ agent, event, payload }: (typeof LINES)[number], env: Host["env"]): Promise<AgentCall> {
  const options = { agent: AGENTS[agent], nativeEvent: event, failClosed: true } as BridgeOptions;
  const read = await parseCall(JSON.stringify(payload), options, { env, cwd: "/" } as Host);
  if (!read.ok || read.value === null) throw new Error(`${agent} ${event}: ${JSON.stringify(read)}`);
  return read.value;
}

const VARIABLES = ["COPILOT_CLI", "COPILOT_HOME", "GROK_SESSION_ID", "GROK_HOOK_EVENT", "CURSOR_VERSION", "CLAUDECODE"];
const environment = fc.dictionary(fc.constantFrom(...VARIABLES), fc.constantFrom("1", "s1", "", "PreToolUse"));

describe.each(LINES)("$title at the registration $agent $event", (line) => {
  test("no environment takes a block away, or changes its format", async () => {
    await fc.assert(
      fc.asyncProperty(environment, async (env) => {
        const heard = await heardCall(line, { ...line.env, ...env });
        expect(heard.payloads[0].event).toBe("before_tool_call");
        const telling = { signature: "(guard)", notices: [], mayFollowUp: true };
        const { answer } = nativeAnswer(heard, verdictOf("block", heard.payloads[0]), telling);
        expect(line.decision(JSON.parse(printableJson(answer)))).toBe("deny");
      }),
      propertyRuns(40),
    );
  });

  test("the guard reads the arguments, and the payload names the sender", async () => {
    const { agent, payloads } = await heardCall(line, line.env);
    const name = line.name === "claude" ? line.agent : line.name;
    expect(agent.recordedAs ?? agent.name).toBe(name);
    const [{ members }] = payloads;
    expect(members.get("tool_input")?.raw).toMatch(/"command":"(?:ls|npm test)/);
    expect(members.get("conv_id")?.raw).not.toBe('""');
    expect(JSON.parse(members.get("native")?.raw ?? "")).toMatchObject({ agent: name });
  });
});

const CONNECTED: readonly (readonly AgentName[])[] = [[], ["copilot", "cursor"]];

describe.each(CONNECTED.map((others) => ({ others })))(
  "beside $others every registration asks the guard",
  ({ others }) => {
    test.each(sampledRows(LINES))("$title at $agent $event", async ({ agent, event, name, payload, env, decision }) => {
      await using place = await workspace();
      await place.hook("guard", printResponse({ blocked: true, reason: "frozen" }), {
        says: '{"event":"before_tool_call","fail_open":false}',
      });
      for (const one of new Set([agent, ...others])) await runInProcess(place, `install ${one} --scope user`);
      const stdin = JSON.stringify(payload);
      const result = await runInProcess(place, `bridge ${agent} --event ${event} --fail-closed`, { stdin, env });
      expect(decision(JSON.parse(result.stdout))).toBe("deny");
      const recorded = name === "claude" ? agent : name;
      expect((await runInProcess(place, "log --json")).stdout).toContain(`"agent":"${recorded}"`);
    });
  },
);
