import type { AgentName } from "../../../src/protocol/agent-names.ts";
import { membersOf, readJson } from "../../../src/protocol/json/read.ts";
import { printableJson } from "../../../src/protocol/json/write.ts";
import { type Payload, payloadFromMembers } from "../../../src/protocol/payload/payload.ts";
import type { Verdict } from "../../../src/protocol/verdict.ts";
import { AGENTS } from "../agents.ts";
import { nativeAnswer } from "../native-answer.ts";
import { canonicalFields } from "../native-payload.ts";
import { NATIVE } from "./payloads.ts";

/** One native payload, taken apart as the bridge does it. */
export function heard(agent: AgentName, event: string, sample: unknown = NATIVE[agent][event]) {
  const row = AGENTS[agent].events[event];
  const read = readJson(JSON.stringify(sample), 64);
  if (row === undefined || !read.ok) throw new Error(`no sample of ${agent} ${event}`);
  return { row, native: read.value, members: membersOf(read.value) };
}

const quiet: Omit<Verdict, "event" | "payload" | "sent"> = {
  decision: "continue",
  reason: null,
  decidedBy: null,
  isAllowed: false,
  change: null,
  context: [],
  followUps: [],
  pushes: [],
  turns: null,
  systemMessage: null,
  metadata: {},
  warnings: [],
  guardWarnings: [],
  steps: [],
};

export const VERDICTS = {
  nothing: {},
  block: { decision: "block", reason: "no", decidedBy: "guard" },
  halt: { decision: "halt", reason: "stop", decidedBy: "guard" },
  "block without a word": { decision: "block", reason: "", decidedBy: "guard" },
  ask: { decision: "ask", reason: "sure?", decidedBy: "guard" },
  allow: { isAllowed: true },
  change: { change: '{"command":"ls -l"}' },
  "change to null": { change: "null" },
  "allow and change": { change: '{"command":"ls -l"}', isAllowed: true },
  "ask about a change": { change: '{"command":"ls -l"}', decision: "ask", reason: "sure?", decidedBy: "guard" },
  inject: { context: ["see docs"] },
  "follow up": { followUps: ["run the tests"] },
} as const satisfies Record<string, Partial<Verdict>>;
export type Said = keyof typeof VERDICTS;

export const verdictOf = (said: Said, payload: Payload): Verdict => ({
  ...{ ...quiet, event: payload.event, sent: payload, payload },
  ...VERDICTS[said],
});

/** What the agent is told, and what it cannot be told. */
export function answered(agent: AgentName, event: string, said: Said, sample?: unknown) {
  const { row, native, members } = heard(agent, event, sample);
  const [raised] = row.raises;
  if (raised === undefined) throw new Error("it raises nothing");
  const payload = payloadFromMembers(raised.event, canonicalFields(AGENTS[agent], event, raised, native).members, "/");
  if (!payload.ok) throw new Error(payload.error.code);
  const verdict = verdictOf(said, payload.value);
  const telling = { signature: "(guard, hookctl why 1)", notices: [], mayFollowUp: true };
  const { answer, ...told } = nativeAnswer({ agent: AGENTS[agent], row, native: members }, verdict, telling);
  return { ...told, answer: JSON.parse(printableJson(answer)) };
}

/** Every key that an agent was seen or documented to honour, in any of its answers. */
const claudeKeys = [
  ...["continue", "stopReason", "systemMessage", "decision", "reason", "hookSpecificOutput"],
  ...["hookSpecificOutput.hookEventName", "hookSpecificOutput.permissionDecision"],
  ...["hookSpecificOutput.permissionDecisionReason", "hookSpecificOutput.updatedInput"],
  ...["hookSpecificOutput.additionalContext", "hookSpecificOutput.decision"],
  ...["hookSpecificOutput.decision.behavior", "hookSpecificOutput.decision.message"],
];
export const HONOURED: Readonly<Record<AgentName, readonly string[]>> = {
  claude: [...claudeKeys, "hookSpecificOutput.updatedToolOutput"],
  codex: claudeKeys,
  qwen: claudeKeys,
  droid: claudeKeys,
  gemini: [
    ...["continue", "stopReason", "systemMessage", "decision", "reason", "hookSpecificOutput"],
    ...["hookSpecificOutput.hookEventName", "hookSpecificOutput.tool_input", "hookSpecificOutput.additionalContext"],
  ],
  copilot: [
    ...claudeKeys,
    ...["permissionDecision", "permissionDecisionReason", "modifiedArgs", "additionalContext", "behavior", "message"],
    ...["modifiedResult", "modifiedResult.resultType", "modifiedResult.textResultForLlm"],
  ],
  cursor: [
    ...["permission", "user_message", "agent_message", "updated_input", "additional_context"],
    ...["updated_mcp_tool_output", "continue", "followup_message"],
  ],
  goose: ["decision", "reason"],
  opencode: ["deny", "input", "input.command", "output", "context", "tell"],
  pi: ["deny", "input", "input.command", "output", "context", "tell"],
};
/** What a hook wrote stands below these; its keys are its own. */
const FREE = [
  "updatedInput",
  "updatedToolOutput",
  "tool_input",
  "modifiedArgs",
  "updated_input",
  "updated_mcp_tool_output",
];

export function keysOf(value: unknown, path = ""): string[] {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    const here = path === "" ? key : `${path}.${key}`;
    return FREE.includes(key) ? [here] : [here, ...keysOf(inner, here)];
  });
}

/** At a question for permission, silence leaves it to the person. */
export const isSilentAsk = (agent: AgentName, event: string, said: Said): boolean =>
  said === "ask" && AGENTS[agent].events[event]?.answers.ask !== undefined;
