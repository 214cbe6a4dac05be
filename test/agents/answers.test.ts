import { expect, test } from "vitest";
import { membersOf, readJson } from "../../src/contract/json.ts";
import { writeJson } from "../../src/contract/json-text.ts";
import { payloadFrom } from "../../src/contract/payload.ts";
import type { Verdict } from "../../src/contract/verdict.ts";
import { AGENT_NAMES, type AgentName } from "../../src/dialects/agents/agent.ts";
import { AGENTS } from "../../src/dialects/agents/agents.ts";
import { nativeAnswer } from "../../src/dialects/agents/native-answer.ts";
import { canonicalMembers } from "../../src/dialects/agents/native-payload.ts";
import { NATIVE } from "./payloads.ts";

const cases = AGENT_NAMES.flatMap((agent) => Object.keys(AGENTS[agent].events).map((event) => ({ agent, event })));

function heard(agent: AgentName, event: string) {
  const row = AGENTS[agent].events[event];
  const read = readJson(JSON.stringify(NATIVE[agent][event]), 64);
  if (row === undefined || !read.ok) throw new Error(`no sample of ${agent} ${event}`);
  return { row, native: read.value, members: membersOf(read.value) };
}

test.each(cases)("$agent $event becomes valid payloads, with the native one whole beside them", ({ agent, event }) => {
  const { row, native } = heard(agent, event);
  expect(row.raises.length).toBeGreaterThan(0);
  for (const raised of row.raises) {
    const payload = payloadFrom(raised.event, canonicalMembers(AGENTS[agent], event, raised, native), "/");
    expect(payload).toMatchObject({ ok: true, value: { event: raised.event, session: "s1", cwd: "/" } });
    if (!payload.ok) return;
    expect(JSON.parse(payload.value.members.get("native")?.raw ?? "null")).toEqual({
      agent,
      event,
      payload: NATIVE[agent][event],
    });
  }
});

const quiet: Omit<Verdict, "event" | "payload"> = {
  decision: "continue",
  reason: null,
  decidedBy: null,
  isAllowed: false,
  original: null,
  change: null,
  context: [],
  followUps: [],
  pushes: [],
  turns: null,
  systemMessage: null,
  metadata: {},
  warnings: [],
  steps: [],
};

const VERDICTS = {
  nothing: {},
  block: { decision: "block", reason: "no", decidedBy: "guard" },
  halt: { decision: "halt", reason: "stop", decidedBy: "guard" },
  ask: { decision: "ask", reason: "sure?", decidedBy: "guard" },
  allow: { isAllowed: true },
  change: { change: '{"command":"ls -l"}' },
  "allow and change": { change: '{"command":"ls -l"}', isAllowed: true },
  inject: { context: ["see docs"] },
  "follow up": { followUps: ["run the tests"] },
} as const satisfies Record<string, Partial<Verdict>>;
type Said = keyof typeof VERDICTS;

function answered(agent: AgentName, event: string, said: Said) {
  const { row, native, members } = heard(agent, event);
  const [raised] = row.raises;
  if (raised === undefined) throw new Error("it raises nothing");
  const payload = payloadFrom(raised.event, canonicalMembers(AGENTS[agent], event, raised, native), "/");
  if (!payload.ok) throw new Error(payload.error.code);
  const verdict: Verdict = { ...quiet, event: raised.event, payload: payload.value, ...VERDICTS[said] };
  const telling = { signature: "(guard, hookctl why 1)", notices: [], mayFollowUp: true };
  const { answer, unsaid } = nativeAnswer(AGENTS[agent], row, verdict, members, telling);
  return { answer: JSON.parse(writeJson(answer)), unsaid };
}

const signed = "no (guard, hookctl why 1)";
const asked = "sure? (guard, hookctl why 1)";
const wanted = 'a hook wants this call with other arguments: {"command":"ls -l"} (guard, hookctl why 1)';
const deny = (permissionDecisionReason: string) => ({
  hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "deny", permissionDecisionReason },
});
const ask = {
  hookSpecificOutput: {
    hookEventName: "PreToolUse",
    permissionDecision: "ask",
    permissionDecisionReason: asked,
  },
};
const pre = (parts: object) => ({ hookSpecificOutput: { hookEventName: "PreToolUse", ...parts } });
const changed = { command: "ls -l" };

const moduleAnswers = {
  block: { deny: signed },
  ask: { deny: asked },
  allow: {},
  change: { input: changed },
  "allow and change": { input: changed },
  inject: {},
};

/** Before a tool call: the agent, its event, and the whole answer to each verdict. */
const BEFORE_TOOL: Readonly<Record<AgentName, readonly [event: string, answers: Partial<Record<Said, object>>]>> = {
  claude: [
    "PreToolUse",
    {
      block: deny(signed),
      ask,
      allow: pre({ permissionDecision: "allow" }),
      change: pre({ updatedInput: changed }),
      "allow and change": pre({ permissionDecision: "allow", updatedInput: changed }),
      inject: pre({ additionalContext: "see docs" }),
    },
  ],
  codex: [
    "PreToolUse",
    {
      block: deny(signed),
      ask: deny(asked),
      allow: {},
      change: pre({ permissionDecision: "allow", updatedInput: changed }),
      "allow and change": pre({ permissionDecision: "allow", updatedInput: changed }),
      inject: pre({ additionalContext: "see docs" }),
    },
  ],
  gemini: [
    "BeforeTool",
    {
      block: { decision: "deny", reason: signed },
      ask: { decision: "ask", reason: asked, systemMessage: asked },
      allow: { decision: "allow" },
      change: { hookSpecificOutput: { hookEventName: "BeforeTool", tool_input: changed } },
      "allow and change": {
        decision: "allow",
        hookSpecificOutput: { hookEventName: "BeforeTool", tool_input: changed },
      },
      inject: {},
    },
  ],
  copilot: [
    "preToolUse",
    {
      block: { permissionDecision: "deny", permissionDecisionReason: signed },
      ask: { permissionDecision: "ask", permissionDecisionReason: asked },
      allow: { permissionDecision: "allow" },
      change: { modifiedArgs: changed },
      "allow and change": { permissionDecision: "allow", modifiedArgs: changed },
      inject: { additionalContext: "see docs" },
    },
  ],
  cursor: [
    "preToolUse",
    {
      block: { permission: "deny", user_message: signed, agent_message: signed },
      ask: { permission: "deny", user_message: asked, agent_message: asked },
      allow: { permission: "allow" },
      change: { updated_input: changed },
      "allow and change": { permission: "allow", updated_input: changed },
      inject: {},
    },
  ],
  qwen: [
    "PreToolUse",
    {
      block: deny(signed),
      ask,
      allow: pre({ permissionDecision: "allow" }),
      change: deny(wanted),
      "allow and change": deny(wanted),
      inject: {},
    },
  ],
  droid: [
    "PreToolUse",
    {
      block: deny(signed),
      ask,
      allow: pre({ permissionDecision: "allow" }),
      change: pre({ updatedInput: changed }),
      "allow and change": pre({ permissionDecision: "allow", updatedInput: changed }),
      inject: {},
    },
  ],
  opencode: ["tool.execute.before", moduleAnswers],
  pi: ["tool_call", moduleAnswers],
  goose: [
    "PreToolUse",
    {
      block: { decision: "block", reason: signed },
      ask: { decision: "block", reason: asked },
      allow: {},
      change: { decision: "block", reason: wanted },
      "allow and change": { decision: "block", reason: wanted },
      inject: {},
    },
  ],
};

test.each(
  AGENT_NAMES.flatMap((agent) => {
    const [event, answers] = BEFORE_TOOL[agent];
    const rows = Object.entries({ nothing: {}, ...answers }) as [Said, object][];
    return rows.map(([said, answer]) => ({ agent, event, said, answer }));
  }),
)("$agent is told '$said' before a tool call in its own words", ({ agent, event, said, answer }) => {
  expect(answered(agent, event, said).answer).toEqual(answer);
});

/** Every key that an agent was seen or documented to honour, in any of its answers. */
const claudeKeys = [
  ...["continue", "stopReason", "systemMessage", "decision", "reason", "hookSpecificOutput"],
  ...["hookSpecificOutput.hookEventName", "hookSpecificOutput.permissionDecision"],
  ...["hookSpecificOutput.permissionDecisionReason", "hookSpecificOutput.updatedInput"],
  ...["hookSpecificOutput.additionalContext", "hookSpecificOutput.decision"],
  ...["hookSpecificOutput.decision.behavior", "hookSpecificOutput.decision.message"],
];
const HONOURED: Readonly<Record<AgentName, readonly string[]>> = {
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

function keysOf(value: unknown, path = ""): string[] {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    const here = path === "" ? key : `${path}.${key}`;
    return FREE.includes(key) ? [here] : [here, ...keysOf(inner, here)];
  });
}

test.each(
  cases.flatMap(({ agent, event }) => (Object.keys(VERDICTS) as Said[]).map((said) => ({ agent, event, said }))),
)(
  "$agent $event, '$said': only keys that it honours, and what it cannot be told is named",
  ({ agent, event, said }) => {
    const { answer, unsaid } = answered(agent, event, said);
    expect(keysOf(answer).filter((key) => !HONOURED[agent].includes(key))).toEqual([]);
    if (said === "nothing") expect({ answer, unsaid }).toEqual({ answer: {}, unsaid: [] });
    else if (Object.keys(answer).length === 0 && !isSilentAsk(agent, event, said))
      expect(unsaid).toHaveLength(unsaid.length || 1);
  },
);

/** At a question for permission, silence leaves it to the person. */
const isSilentAsk = (agent: AgentName, event: string, said: Said): boolean =>
  said === "ask" && AGENTS[agent].events[event]?.answers.ask !== undefined;
