import { AGENT_NAMES, type AgentName } from "../../src/protocol/agent-names.ts";
import { canonicalField, EVENT_ROWS, type EventName } from "../../src/protocol/event.ts";
import type { Hook } from "../../src/protocol/hook.ts";
import { arrayOf, type JsonObject, membersOf, objectOf, spanOfRaw, textSpan } from "../../src/protocol/json/read.ts";
import { firstMismatch } from "../../src/protocol/match.ts";
import { nearest } from "../../src/protocol/text/nearest.ts";
import { type PortableCall, portableCall } from "../../src/protocol/tools/translate.ts";
import { namesOfPortable, PORTABLE_TOOLS, portableArguments } from "../../src/protocol/tools/vocabulary.ts";
import type { Agent } from "./agent.ts";
import { AGENTS } from "./agents.ts";
import { translatedCall } from "./native-payload.ts";
import { nativeSamples } from "./native-samples.ts";

/** A tool of an agent, with the fields that a `match` compares. */
interface KnownTool {
  readonly members: JsonObject;
  /** The names of its arguments; null if they are not known. */
  readonly takes: ReadonlySet<string> | null;
}

/** The tools of an agent: those of its table, and those of its captured calls. */
export interface KnownTools {
  readonly agent: Agent;
  readonly tools: readonly KnownTool[];
}

export const knownTools = (names: readonly AgentName[]): Promise<readonly KnownTools[]> =>
  Promise.all(names.map(toolsOf));

async function toolsOf(name: AgentName): Promise<KnownTools> {
  const agent = AGENTS[name];
  const samples = await nativeSamples(name, "/");
  const captured = Object.entries(agent.events).flatMap(([event, { raises }]) =>
    raises.flatMap((raised) =>
      samples(event).flatMap(({ payload }) => translatedCall(agent, raised, membersOf(payload)) ?? []),
    ),
  );
  const listed = Object.entries(agent.tools.table).flatMap(([tool, rows]) =>
    rows.map(({ when = {}, bare }) => {
      const members = Object.entries(when).map(([key, text]) => [key, textSpan(text)] as const);
      const input = bare === undefined ? objectOf(members) : spanOfRaw('""');
      return portableCall(agent.tools, { name: tool, input, mcp: null });
    }),
  );
  const calls = [...captured.map(({ portable }) => portable), ...listed];
  return {
    agent,
    tools: [...calls.map((call) => knownTool(agent, call)), mcpTool(agent, "mcp__server_tool", "mcp__server__tool")],
  };
}

function knownTool(agent: Agent, { tool, kind, names, input, row }: PortableCall): KnownTool {
  const sent = input.kind === "object" ? membersOf(input).keys() : [];
  const takes = row?.tool == null ? null : new Set([...(portableArguments(tool)?.keys() ?? []), ...sent]);
  return { members: toolMembers(agent, tool, kind, names), takes };
}

const mcpTool = (agent: Agent, ...names: readonly [string, ...string[]]): KnownTool => ({
  members: toolMembers(agent, names[0], "mcp", names),
  takes: null,
});

const toolMembers = ({ name }: Agent, tool: string, kind: string, names: readonly string[]): JsonObject =>
  new Map([
    ["tool_name", textSpan(tool)],
    ["tool_kind", textSpan(kind)],
    ["tool_names", arrayOf(names.map(textSpan))],
    ["agent", objectOf([["name", textSpan(name)]])],
    ["native", objectOf([["agent", textSpan(name)]])],
  ]);

export type MatchingHook = Pick<Hook, "match" | "events" | "dialect" | "dialects">;

/** The agents whose tools the hook's `match` never fits. An agent that the `match` excludes is not among them. */
export function unmatchedAgents(hook: MatchingHook, all: readonly KnownTools[]): readonly AgentName[] {
  const events = hook.events.filter((event) => Object.hasOwn(EVENT_ROWS[event].fields, "tool_name"));
  if (events.length === 0 || events.length < hook.events.length || hook.match === null) return [];
  const missed = all.filter((one) => isForAgent(hook, one) && !events.some((event) => fitsTool(hook, event, one)));
  return missed.map(({ agent }) => agent.name);
}

const conditionsOf = ({ match }: MatchingHook): readonly (readonly [string, readonly string[]])[] =>
  Object.entries(match ?? {}).map(([field, accepted]) => [field, [accepted].flat()]);

const OF_AGENT = ["agent.name", "native.agent"];

function isForAgent(hook: MatchingHook, { agent }: KnownTools): boolean {
  const own = conditionsOf(hook).filter(([field]) => OF_AGENT.includes(field));
  return firstMismatch(Object.fromEntries(own), toolMembers(agent, "", "", [])) === null;
}

function fitsTool(hook: MatchingHook, event: EventName, { agent, tools }: KnownTools): boolean {
  const dialect = hook.dialects?.[event] ?? hook.dialect;
  const canonical = (field: string): string => canonicalField({ event, dialect }, field);
  const conditions = conditionsOf(hook);
  const wanted = conditions.flatMap(([field, accepted]) => (canonical(field) === "tool_name" ? accepted : []));
  const provided = wanted
    .filter((pattern) => mayBeProvided(agent, pattern))
    .map((one) => mcpTool(agent, exampleOf(one)));
  const fits = ({ members, takes }: KnownTool): boolean =>
    conditions.every(([field, accepted]) => {
      const [first = "", argument] = field.split(".");
      if (canonical(first) === "tool_input")
        return argument === undefined || takes === null || takes.has(argument) || OWN_ARGUMENTS.includes(dialect);
      if (!["tool_name", "tool_kind", "tool_names"].includes(canonical(field))) return true;
      return firstMismatch({ [canonical(field)]: accepted }, members) === null;
    });
  return [...tools, ...provided].some(fits);
}

/** The dialects with other names for arguments. */
const OWN_ARGUMENTS: readonly string[] = ["claude", "copilot"];

const exampleOf = (pattern: string): string => pattern.replaceAll("*", "x").replaceAll("?", "x");

/** The names of tools of all agents, and the portable ones. */
export const KNOWN_NAMES: readonly string[] = [
  ...Object.keys(PORTABLE_TOOLS).flatMap(namesOfPortable),
  ...AGENT_NAMES.flatMap((name) => Object.keys(AGENTS[name].tools.table)),
];

/** True for a name that an MCP server or a plugin may have, unless it is almost the name of a tool. */
function mayBeProvided({ tools }: Agent, pattern: string): boolean {
  if (pattern.startsWith("!") || KNOWN_NAMES.includes(pattern)) return false;
  if (/^(?:mcp_|custom_tool_)/.test(pattern)) return true;
  return tools.mcp.test(exampleOf(pattern)) && nearest(pattern, KNOWN_NAMES) === null;
}
