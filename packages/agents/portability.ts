import { AGENT_NAMES, type AgentName } from "../../src/protocol/agent-names.ts";
import { EVENT_ROWS } from "../../src/protocol/event.ts";
import type { Hook } from "../../src/protocol/hook.ts";
import type { JsonRecord } from "../../src/protocol/json/write.ts";
import { isPortableTool } from "../../src/protocol/tools/vocabulary.ts";
import { AGENTS } from "./agents.ts";
import { type KnownTools, type MatchingHook, unmatchedAgents } from "./match-coverage.ts";

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

/** A name of some agents in the text of a hook that gets the portable names. */
interface ForeignName {
  readonly name: string;
  readonly agents: readonly AgentName[];
  /** The portable name. */
  readonly use: string;
}

const LITERAL = /(["'`])\.?([A-Za-z]\w*)\1/g;
/** Comments, and a declared `match`, in which the names of every agent are valid. */
const NO_CODE = /^\s*(?:#|\/\/|\*)|\bmatch["']?\s*:/;
const COMPARISON = /[=!]=|=~|\bin\b|\bincludes\b|\bhas\b/;

/**
 * Names in quotes that such a hook never gets. A word with other meanings (`Read`) is reported only where a tool is compared,
 * and no name is reported if the text also has the portable one.
 */
export function foreignNames(hook: MatchingHook, texts: readonly string[]): readonly ForeignName[] {
  const { events, dialect, dialects } = hook;
  const getsOwnNames = events.some((event) => ["claude", "copilot"].includes(dialects?.[event] ?? dialect));
  if (getsOwnNames || !events.some((event) => Object.hasOwn(EVENT_ROWS[event].fields, "tool_name"))) return [];
  const lines = texts.flatMap((text) => text.split("\n")).filter((line) => !NO_CODE.test(line));
  const quoted = lines.flatMap((line) => [...line.matchAll(LITERAL)].map(([, , name = ""]) => ({ name, line })));
  const all = new Set(quoted.map(({ name }) => name));
  const found = quoted.filter(({ name, line }) => isDistinct(name) || (COMPARISON.test(line) && /tool/i.test(line)));
  return [...new Set(found.map(({ name }) => name))].flatMap((name) => {
    const foreign = FOREIGN.get(name);
    // kodelet's `tool_output` has a `toolName`.
    const isOutput = name === "toolName" && events.includes("after_tool_call");
    return foreign === undefined || all.has(foreign.use) || isOutput ? [] : [{ name, ...foreign }];
  });
}

const isDistinct = (name: string): boolean => /_|[a-z][A-Z]/.test(name);

const FOREIGN: ReadonlyMap<string, Omit<ForeignName, "name">> = new Map([
  ...toolNames().map(({ name, use }, _at, all): [string, Omit<ForeignName, "name">] => {
    const agents = all.filter((one) => one.name === name).map(({ agent }) => agent);
    return [name, { agents: [...new Set(agents)], use }];
  }),
  ["toolName", { agents: ["copilot"], use: "tool_name" }],
  ["toolArgs", { agents: ["copilot"], use: "tool_input" }],
]);

/** The agents' names of portable tools, without words that any program may have in quotes. */
function toolNames() {
  return AGENT_NAMES.flatMap((agent) =>
    Object.entries(AGENTS[agent].tools.table).flatMap(([tool, rows]) =>
      rows.flatMap(({ tool: use, when = {} }) => {
        const names = [tool, ...Object.values(when)].filter((name) => isDistinct(name) || /^[A-Z]/.test(name));
        return use === null ? [] : names.filter((name) => !isPortableTool(name)).map((name) => ({ name, agent, use }));
      }),
    ),
  );
}
