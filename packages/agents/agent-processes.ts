import { programName } from "../../src/protocol/text/text.ts";
import type { AgentProcess } from "./agent.ts";
import { KNOWN_AGENTS } from "./known-agents.ts";

interface KnownProcess extends AgentProcess {
  readonly title: string;
}

/** Programs that run commands for a model and that hookctl cannot be installed in. */
const OTHERS: readonly KnownProcess[] = [
  {
    title: "Amp",
    variables: ["AMP_CURRENT_THREAD_ID"],
    nameInAgentVariable: "amp",
    programs: ["amp"],
    packages: ["@sourcegraph/amp"],
  },
  { title: "Antigravity", variables: ["ANTIGRAVITY_AGENT"], programs: [], packages: [] },
  { title: "Augment", variables: ["AUGMENT_AGENT"], programs: ["auggie"], packages: ["@augmentcode/auggie"] },
  { title: "Cline", variables: ["CLINE_ACTIVE"], programs: [], packages: [] },
  { title: "Grok Build", variables: ["GROK_AGENT"], programs: ["grok"], packages: ["@xai-official/grok"] },
  { title: "a coding agent", variables: ["AI_AGENT"], programs: [], packages: [] },
  { title: "a hook", variables: ["HOOKCTL_DEPTH"], programs: [], packages: [] },
];

const PROCESSES: readonly KnownProcess[] = [
  ...Object.values(KNOWN_AGENTS).map(({ title, process }) => ({ title, ...process })),
  ...OTHERS,
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
