import { AGENT_NAMES, type AgentName } from "../../src/protocol/agent-names.ts";
import { EVENT_ROWS } from "../../src/protocol/event.ts";
import { isPortableTool } from "../../src/protocol/tools/vocabulary.ts";
import { AGENTS } from "./agents.ts";
import type { MatchingHook } from "./match-coverage.ts";

/** A name of some agents in the text of a hook that gets the portable names. */
export interface ForeignName {
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
      [rows].flat().flatMap(({ tool: use, when = {} }) => {
        const names = [tool, ...Object.values(when)].filter((name) => isDistinct(name) || /^[A-Z]/.test(name));
        return use === null ? [] : names.filter((name) => !isPortableTool(name)).map((name) => ({ name, agent, use }));
      }),
    ),
  );
}
