import { tableOf } from "../../src/protocol/json/table.ts";
import { programName } from "../../src/protocol/text/text.ts";
import type { AgentProcess } from "./agent.ts";
import { KNOWN_AGENTS } from "./known-agents.ts";
import otherPrograms from "./other-programs.json" with { type: "json" };

interface KnownProcess extends AgentProcess {
  readonly title: string;
}

/** The agents, and programs that run commands for a model and that hookctl cannot be installed in. */
const PROCESSES: readonly KnownProcess[] = [
  ...Object.values(KNOWN_AGENTS).map(({ title, process }) => ({ title, ...process })),
  ...tableOf<readonly KnownProcess[]>(otherPrograms),
];

/** The variables by which a command knows that an agent started it: variable -> the agent. */
export const AGENT_VARIABLES: Readonly<Record<string, string>> = Object.fromEntries(
  PROCESSES.flatMap(({ title, variables }) => variables.map((variable) => [variable, title])),
);

type Environment = Readonly<Record<string, string | undefined>>;

/** The agent that set these variables; null if no agent did. */
export function agentInEnvironment(env: Environment): string | null {
  const isSet = (name: string): boolean => !["", "0", "false", undefined].includes(env[name]);
  const found = Object.entries(AGENT_VARIABLES).find(([variable]) => isSet(variable));
  if (found !== undefined) return found[1];
  const value = env.AGENT?.toLowerCase();
  const isNamed = PROCESSES.some(({ nameInAgentVariable: name }) => name !== undefined && name === value);
  return isNamed ? "a coding agent" : null;
}

const INTERPRETERS = /^(?:node|nodejs|bun|deno|python3?(?:\.\d+)?)$/;

/** The agent that was started with this command line; null if it is no agent. */
export function agentOfCommandLine(args: readonly string[]): string | null {
  const [first = "", ...rest] = args;
  const isInterpreter = INTERPRETERS.test(programName(first));
  const script = isInterpreter ? (rest.find((arg) => !arg.startsWith("-")) ?? "") : "";
  const found = PROCESSES.find(
    ({ programs, packages }) =>
      [first, script].some((arg) => programs.includes(programName(arg))) ||
      packages.some((name) => script.includes(`/node_modules/${name}/`)),
  );
  return found?.title ?? null;
}
