import { AGENT_NAMES, type AgentName } from "../../src/protocol/agent-names.ts";
import type { Hook } from "../../src/protocol/hook.ts";
import type { JsonRecord } from "../../src/protocol/json/write.ts";
import { AGENTS } from "./agents.ts";
import { foreignNames } from "./foreign-names.ts";
import { type KnownTools, unmatchedAgents } from "./match-coverage.ts";

/** Why a hook does not work with each agent, as far as that is known without a call. */
export interface Portability {
  /** One line for each fault. */
  readonly texts: readonly string[];
  readonly json: JsonRecord;
}

/** The portability of a hook to these agents. The text of a hook that cannot be started here is not read. */
export function portabilityOf(
  hook: Hook,
  agents: readonly KnownTools[],
  textsOf: (hook: Hook) => readonly string[],
): Portability {
  const isChecked = hook.kind !== "guard" && hook.disabledReason === null;
  const unmatched = isChecked ? unmatchedAgents(hook, agents) : [];
  const foreign = isChecked && hook.state === "ready" && hook.kind !== "rule" ? foreignNames(hook, textsOf(hook)) : [];
  const { name } = hook;
  return {
    texts: [
      ...(unmatched.length === 0 ? [] : [`${name} never matches a tool of ${titlesOf(unmatched)}`]),
      ...foreign.map(
        (found) => `${name} compares with "${found.name}", a name of ${titlesOf(found.agents)}: use ${found.use}`,
      ),
    ],
    json: {
      unmatched_agents: unmatched,
      foreign_names: foreign.map((found) => ({ name: found.name, agents: found.agents, use: found.use })),
    },
  };
}

const titlesOf = (agents: readonly AgentName[]): string =>
  agents.length === AGENT_NAMES.length ? "any agent" : agents.map((agent) => AGENTS[agent].title).join(", ");
