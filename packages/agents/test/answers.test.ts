import { expect, test } from "vitest";
import { AGENT_NAMES, type AgentName } from "../../../src/protocol/agent-names.ts";
import { EVENT_ROWS } from "../../../src/protocol/event.ts";
import { payloadFromMembers } from "../../../src/protocol/payload/payload.ts";
import { AGENTS } from "../agents.ts";
import { canonicalFields } from "../native-payload.ts";
import { NATIVE } from "./payloads.ts";
import { answered, HONOURED, heard, isSilentAsk, keysOf, type Said, VERDICTS } from "./verdicts.ts";

const cases = AGENT_NAMES.flatMap((agent) =>
  Object.entries(AGENTS[agent].events)
    // hookctl itself answers the others: no hook runs.
    .filter(([, { raises }]) => raises.length > 0)
    .map(([event]) => ({ agent, event })),
);

test.each(cases)("$agent $event becomes valid payloads, with the native one whole beside them", ({ agent, event }) => {
  const { row, native } = heard(agent, event);
  expect(row.raises.length).toBeGreaterThan(0);
  for (const raised of row.raises) {
    const payload = payloadFromMembers(
      raised.event,
      canonicalFields(AGENTS[agent], event, raised, native).members,
      "/",
    );
    expect(payload).toMatchObject({
      ok: true,
      value: { event: raised.event, session: expect.stringMatching(/./), cwd: expect.stringMatching(/^\//) },
    });
    if (!payload.ok) return;
    expect(JSON.parse(payload.value.members.get("native")?.raw ?? "null")).toEqual({
      agent,
      event,
      payload: NATIVE[agent][event],
    });
  }
});

const signed = "no (guard, hookctl why 1)";
const asked = "sure? (guard, hookctl why 1)";
const wanted = 'a hook changed the arguments of this call: {"command":"ls -l"} (guard, hookctl why 1)';
const both = 'sure?; a hook changed the arguments of this call: {"command":"ls -l"} (guard, hookctl why 1)';
const ABOUT = "ask about a change";
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

const stop = { decision: "block", reason: asked, continue: false, stopReason: asked };

const moduleAnswers = {
  block: { deny: signed },
  ask: { deny: asked },
  [ABOUT]: { deny: both },
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
      [ABOUT]: pre({ permissionDecision: "ask", permissionDecisionReason: asked, updatedInput: changed }),
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
      [ABOUT]: deny(both),
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
      [ABOUT]: {
        ...{ decision: "ask", reason: asked, systemMessage: asked },
        hookSpecificOutput: { hookEventName: "BeforeTool", tool_input: changed },
      },
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
      // In Claude Code's format as well, for VS Code.
      block: { permissionDecision: "deny", permissionDecisionReason: signed, ...deny(signed) },
      ask: { permissionDecision: "ask", permissionDecisionReason: asked, ...ask },
      [ABOUT]: { permissionDecision: "deny", permissionDecisionReason: both, ...deny(both) },
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
      [ABOUT]: { permission: "deny", user_message: both, agent_message: both },
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
      [ABOUT]: deny(both),
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
      ask: deny(asked),
      [ABOUT]: deny(both),
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
      [ABOUT]: { decision: "block", reason: both },
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

test.each(
  cases.flatMap(({ agent, event }) => (Object.keys(VERDICTS) as Said[]).map((said) => ({ agent, event, said }))),
)(
  "$agent $event, '$said': only keys that it honours, and what it cannot be told is named",
  ({ agent, event, said }) => {
    const { answer, unsupported } = answered(agent, event, said);
    expect(keysOf(answer).filter((key) => !HONOURED[agent].includes(key))).toEqual([]);
    if (said === "nothing") expect({ answer, unsupported }).toEqual({ answer: {}, unsupported: [] });
    else if (Object.keys(answer).length === 0 && !isSilentAsk(agent, event, said))
      expect(unsupported.length).toBeGreaterThan(0);
  },
);

const CALLS = cases.filter(({ agent, event }) => {
  const [raised] = AGENTS[agent].events[event]?.raises ?? [];
  return raised !== undefined && EVENT_ROWS[raised.event].target === "tool_input";
});

test.each(CALLS)(
  "$agent $event: a question about a changed call is about the changed one, or the call is denied",
  ({ agent, event }) => {
    const { answer, unsupported, mustArrive } = answered(agent, event, ABOUT);
    const text = JSON.stringify(answer);
    expect({ unsupported, mustArrive }).toEqual({ unsupported: [], mustArrive: true });
    expect(text).toContain("ls -l");
    const { canAskWithChange = false } = AGENTS[agent].events[event]?.answers ?? {};
    if (canAskWithChange) expect(text).toContain('"ask"');
    else expect(text).toMatch(/"deny"|"decision":"block"/);
  },
);

test.each([
  [
    "claude",
    "PostToolUse",
    { ...stop, hookSpecificOutput: { hookEventName: "PostToolUse", updatedToolOutput: changed } },
  ],
  ["codex", "PostToolUse", stop],
  ["gemini", "AfterTool", { ...stop, decision: "deny" }],
  [
    "copilot",
    "postToolUse",
    {
      decision: "block",
      reason: asked,
      modifiedResult: { resultType: "success", textResultForLlm: '{"command":"ls -l"}' },
    },
  ],
  ["cursor", "postToolUse", { updated_mcp_tool_output: changed }],
  ["qwen", "PostToolUse", stop],
  ["opencode", "tool.execute.after", { output: '{"command":"ls -l"}', deny: asked }],
  ["pi", "tool_result", { output: '{"command":"ls -l"}', deny: asked }],
] as const)("%s %s: a question about a changed result does not give the old one back", (agent, event, wanted) => {
  const { answer, unsupported } = answered(agent, event, ABOUT);
  expect(answer).toEqual(wanted);
  expect(unsupported).toEqual("decision" in wanted || "deny" in wanted ? [] : ["ask: sure?"]);
});

test.each([
  ["a shell", { stdout: "SECRET", stderr: "SECRET", code: 0 }, { stdout: "", stderr: "", code: 0 }],
  ["a text", "SECRET", ""],
  ["another shape", { rows: ["SECRET"] }, null],
  ["a list", ["SECRET"], null],
])(
  "claude PostToolUse: a result that becomes null keeps the shape of %s, or is told as not replaced",
  (_, own, wanted) => {
    const sample = { ...Object(NATIVE.claude.PostToolUse), tool_response: own };
    const { answer, unsupported } = answered("claude", "PostToolUse", "change to null", sample);
    const output =
      wanted === null ? {} : { hookSpecificOutput: { hookEventName: "PostToolUse", updatedToolOutput: wanted } };
    expect({ answer, unsupported }).toEqual({
      answer: output,
      unsupported: wanted === null ? ["the changed value"] : [],
    });
  },
);

const calls = cases.filter(({ agent, event }) => {
  const [raised] = heard(agent, event).row.raises;
  return raised !== undefined && EVENT_ROWS[raised.event].target === "tool_input";
});
test.each(cases)("$agent $event is stopped by a block with an empty reason wherever one with words stops it", (at) => {
  const [withWords, without] = [
    answered(at.agent, at.event, "block"),
    answered(at.agent, at.event, "block without a word"),
  ];
  expect(without.mustArrive).toBe(true);
  expect(keysOf(without.answer)).toEqual(keysOf(withWords.answer));
  expect(without.unsupported.length).toBe(withWords.unsupported.length);
});

test.each(calls)("$agent $event with arguments that are no object blocks: the call would be made as it was", (at) => {
  const { answer, unsupported } = answered(at.agent, at.event, "change to null");
  expect(keysOf(answer)).toEqual(keysOf(answered(at.agent, at.event, "block").answer));
  expect(JSON.stringify([answer, unsupported])).toContain("a hook changed the arguments of this call: null");
});
