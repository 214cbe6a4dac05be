import { AGENT_NAMES, type AgentName } from "../../agents/agent.ts";
import { AGENTS } from "../../agents/agents.ts";
import { type ForeignName, foreignNames } from "../../agents/foreign-names.ts";
import { type KnownTools, unmatchedAgents } from "../../agents/match-coverage.ts";
import { hookTexts } from "../../engine/hooks/hook-texts.ts";
import type { Hook } from "../../protocol/hook.ts";
import type { JsonRecord } from "../../protocol/json/write.ts";

/** Why a hook does not work with each agent, as far as that is known without a call. */
export interface Portability {
  /** The agents whose tools its `match` never fits. */
  readonly unmatched: readonly AgentName[];
  readonly foreign: readonly ForeignName[];
}

/** The portability of a hook to these agents. The text of a hook that cannot be started here is not read. */
export function portabilityOf(hook: Hook, agents: readonly KnownTools[]): Portability {
  if (hook.kind === "guard" || hook.disabledReason !== null) return { unmatched: [], foreign: [] };
  const foreign = hook.state === "ready" && hook.kind !== "rule" ? foreignNames(hook, hookTexts(hook)) : [];
  return { unmatched: unmatchedAgents(hook, agents), foreign };
}

/** One line for each fault. */
export function portabilityTexts(name: string, { unmatched, foreign }: Portability): readonly string[] {
  const unmet = unmatched.length === 0 ? [] : [`${name} never matches a tool of ${titlesOf(unmatched)}`];
  const compared = foreign.map(
    (one) => `${name} compares with "${one.name}", a name of ${titlesOf(one.agents)}: use ${one.use}`,
  );
  return [...unmet, ...compared];
}

const titlesOf = (agents: readonly AgentName[]): string =>
  agents.length === AGENT_NAMES.length ? "any agent" : agents.map((agent) => AGENTS[agent].title).join(", ");

export const portabilityJson = ({ unmatched, foreign }: Portability): JsonRecord => ({
  unmatched_agents: unmatched,
  foreign_names: foreign.map(({ name, agents, use }) => ({ name, agents, use })),
});
