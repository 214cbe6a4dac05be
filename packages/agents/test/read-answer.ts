import type { AgentName } from "../../../src/protocol/agent-names.ts";

/** What an agent does after an answer of the bridge. */
export interface Effect {
  /** `stop`: a call is not made, or after it the agent is told to stop. */
  readonly decision: "none" | "allow" | "ask" | "stop";
  readonly reason: string;
  /** The arguments of the call from now on; undefined: as they were. */
  readonly input: unknown;
  /** The result that the model sees; undefined: as it was. */
  readonly output: unknown;
  readonly context: string;
  /** The next instruction of an agent that would stop. */
  readonly followUp: string;
}

export type Phase = "before" | "after" | "prompt" | "end" | "start";
type Json = Readonly<Record<string, unknown>>;
type Reader = (answer: Json) => Partial<Effect>;
type Readers = Readonly<Partial<Record<Phase, Reader>>>;

const text = (value: unknown): string => (typeof value === "string" ? value : "");
const object = (value: unknown): Json => (typeof value === "object" && value !== null ? (value as Json) : {});

const DECISIONS: Readonly<Record<string, Effect["decision"]>> = {
  ...{ allow: "allow", ask: "ask", deny: "stop", block: "stop" },
};
const decided = (value: unknown): Effect["decision"] => DECISIONS[text(value)] ?? "none";

const contextOfClaude = ({ hookSpecificOutput }: Json) => ({
  context: text(object(hookSpecificOutput).additionalContext),
});
const claudeBefore: Reader = (answer) => {
  const { permissionDecision, permissionDecisionReason, updatedInput } = object(answer.hookSpecificOutput);
  const [decision, reason] = [decided(permissionDecision), text(permissionDecisionReason)];
  return { decision, reason, input: updatedInput, ...contextOfClaude(answer) };
};
const stopped: Reader = ({ decision, reason, continue: goesOn, stopReason }) =>
  goesOn === false
    ? { decision: "stop", reason: text(stopReason) }
    : { decision: decided(decision), reason: text(reason) };
/** Instead of a result the model gets the reason of a block. */
const replacedByReason: Reader = (answer) => {
  const { decision = "none", reason = "" } = stopped(answer);
  const isWhole = answer.continue === false && answer.decision !== undefined;
  return decision === "stop" && !isWhole
    ? { output: reason, ...contextOfClaude(answer) }
    : { decision, reason, ...contextOfClaude(answer) };
};
const followUp: Reader = ({ decision, reason }) => (decided(decision) === "stop" ? { followUp: text(reason) } : {});
const claude: Readers = {
  before: claudeBefore,
  after: (answer) => ({
    ...stopped(answer),
    ...contextOfClaude(answer),
    output: object(answer.hookSpecificOutput).updatedToolOutput,
  }),
  prompt: (answer) => ({ ...stopped(answer), ...contextOfClaude(answer) }),
  end: followUp,
  start: contextOfClaude,
};
const module: Readers = {
  before: ({ deny, input }) => ({ decision: deny === undefined ? "none" : "stop", reason: text(deny), input }),
  after: ({ deny, output, context }) => ({
    ...{ decision: deny === undefined ? "none" : "stop", reason: text(deny), context: text(context) },
    ...{ output: output ?? deny },
  }),
  prompt: ({ deny, context }) => ({
    decision: deny === undefined ? "none" : "stop",
    reason: text(deny),
    context: text(context),
  }),
};
const blocked: Reader = ({ decision, reason }) => ({ decision: decided(decision), reason: text(reason) });

const READERS: Readonly<Record<AgentName, Readers>> = {
  claude,
  droid: claude,
  codex: { ...claude, after: replacedByReason },
  qwen: {
    ...claude,
    after: (answer) =>
      answer.decision === undefined && answer.continue === false
        ? { output: text(answer.stopReason), ...contextOfClaude(answer) }
        : { ...stopped(answer), ...contextOfClaude(answer) },
  },
  gemini: {
    ...claude,
    before: (answer) => ({ ...blocked(answer), input: object(answer.hookSpecificOutput).tool_input }),
    after: replacedByReason,
  },
  copilot: {
    before: (answer) => {
      if (answer.hookSpecificOutput !== undefined) return claudeBefore(answer);
      const { permissionDecision, permissionDecisionReason, modifiedArgs, additionalContext } = answer;
      const [decision, reason] = [decided(permissionDecision), text(permissionDecisionReason)];
      return { decision, reason, input: modifiedArgs, context: text(additionalContext) };
    },
    after: (answer) => ({
      ...stopped(answer),
      ...{ context: text(answer.additionalContext) || contextOfClaude(answer).context },
      output: object(answer.modifiedResult).textResultForLlm,
    }),
    prompt: stopped,
    end: followUp,
    start: (answer) => ({ context: text(answer.additionalContext) || contextOfClaude(answer).context }),
  },
  cursor: {
    prompt: ({ continue: goesOn, user_message }) => ({
      decision: goesOn === false ? "stop" : "none",
      reason: text(user_message),
    }),
    before: ({ permission, user_message, updated_input }) => ({
      ...{ decision: decided(permission), reason: text(user_message), input: updated_input },
    }),
    after: ({ updated_mcp_tool_output, additional_context }) => ({
      ...{ output: updated_mcp_tool_output, context: text(additional_context) },
    }),
    end: ({ followup_message }) => ({ followUp: text(followup_message) }),
    start: ({ additional_context }) => ({ context: text(additional_context) }),
  },
  goose: { before: blocked, end: followUp },
  opencode: module,
  pi: module,
};

const NOTHING: Effect = {
  decision: "none",
  reason: "",
  input: undefined,
  output: undefined,
  context: "",
  followUp: "",
};

/** Reads the bridge's answer as the agent does. No answer: nothing changes. */
export function effectOf(agent: AgentName, phase: Phase, stdout: string): Effect {
  const answer = stdout === "" ? {} : object(JSON.parse(stdout));
  // A key that is undefined must not hide the default.
  const read = Object.entries(READERS[agent][phase]?.(answer) ?? {}).filter(([, value]) => value !== undefined);
  return { ...NOTHING, ...Object.fromEntries(read) };
}
