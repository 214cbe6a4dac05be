import type { AgentName } from "../../../src/protocol/agent-names.ts";
import { KNOWN_AGENTS } from "../known-agents.ts";
import { type NativeSample, portableOf } from "./native-calls.ts";

/** What becomes of a hook's response: `as wanted`, or the documented other answer. */
export type Outcome = "yes" | "ask" | "blocked" | "said" | "no argument";
export interface Ability {
  readonly ask: Outcome;
  readonly rewrite: Outcome;
  readonly context: Outcome;
  readonly halt: Outcome;
  readonly result: Outcome;
  readonly contextAfter: Outcome;
}

const all = { ask: "ask", rewrite: "yes", context: "yes", halt: "yes", result: "yes", contextAfter: "yes" } as const;
/** docs/agents.md, section "What an agent cannot express". `said`: a warning says that the agent cannot receive it. */
const ABILITIES: Readonly<Record<AgentName, Ability>> = {
  claude: all,
  codex: { ...all, ask: "blocked" },
  gemini: { ...all, context: "said" },
  copilot: all,
  cursor: { ...all, ask: "blocked", context: "said", halt: "said", result: "said" },
  qwen: { ...all, rewrite: "blocked", context: "said" },
  droid: { ...all, ask: "blocked", context: "said", result: "said" },
  goose: {
    ...all,
    ask: "blocked",
    rewrite: "blocked",
    context: "said",
    halt: "said",
    result: "said",
    contextAfter: "said",
  },
  opencode: { ...all, ask: "blocked", context: "said" },
  pi: { ...all, ask: "blocked", context: "said" },
};
/** Events and results of an agent that differ from its others. */
const EXCEPTIONS: readonly { readonly of: RegExp; readonly ability: Partial<Ability> }[] = [
  { of: /^copilot PostToolUse /, ability: { result: "said" } },
  { of: /^cursor (beforeShellExecution|beforeMCPExecution) /, ability: { ask: "ask", rewrite: "blocked" } },
  { of: /^cursor beforeReadFile /, ability: { rewrite: "blocked" } },
  // A result of an MCP tool can be replaced.
  { of: /^cursor postToolUse documented mcp__/, ability: { result: "yes" } },
  { of: /^cursor postToolUseFailure /, ability: { contextAfter: "said" } },
  { of: /^(claude|copilot|qwen) (PostToolUseFailure|postToolUseFailure) /, ability: { halt: "said", result: "said" } },
];

export const titleOf = (sample: NativeSample): string =>
  `${sample.agent} ${sample.event} ${sample.variant} ${portableOf(sample).tool}`;

export function abilityOf(sample: NativeSample): Ability {
  const title = titleOf(sample);
  const found = EXCEPTIONS.filter(({ of }) => of.test(title)).map(({ ability }) => ability);
  return { ...ABILITIES[sample.agent], ...Object.assign({}, ...found) };
}

export const cannotReceive = (agent: AgentName): string => `${KNOWN_AGENTS[agent].title} cannot receive`;
