import { agentInEnvironment, agentOfCommandLine } from "../../agents/agent-processes.ts";
import type { Host } from "../../host.ts";
import { ancestorsOf, statOf } from "../../process/ancestors.ts";
import type { HostProblem } from "../../protocol/problem.ts";
import type { Terminal } from "../../terminal.ts";
import { askChoice } from "./ask-choice.ts";

/** The agent that started this call. */
export interface ParentAgent {
  readonly title: string;
  /** The terminal of the agent itself; null: unknown, 0: it has none. */
  readonly terminal: number | null;
}

/** Looks at the environment and, because an agent can clear that, at the parent processes. Null: no agent was found. */
export function parentAgent({ env, processId }: Host): ParentAgent | null {
  for (const { args, terminal } of ancestorsOf(processId)) {
    const title = agentOfCommandLine(args);
    if (title !== null) return { title, terminal };
  }
  const title = agentInEnvironment(env);
  return title === null ? null : { title, terminal: null };
}

/** Opens the terminal of a person. An agent may give its commands a terminal on which it types itself: then null. */
export async function openPersonTerminal(host: Host): Promise<Terminal | null> {
  const agent = parentAgent(host);
  const own = statOf(host.processId);
  const hasOwn = own !== null && own.terminal !== 0;
  if (agent !== null && hasOwn) {
    if (!own.isForeground) return null;
    if (agent.terminal !== null && agent.terminal !== own.terminal) return null;
  }
  return host.openTerminal();
}

/**
 * Only a person may approve a hook or remove a guard: if an agent called, asks on the terminal. Returns null if the
 * person agrees, or if there is no agent.
 */
export async function requirePerson(host: Host): Promise<HostProblem | null> {
  const agent = parentAgent(host);
  if (agent === null) return null;
  const refusal: HostProblem = { code: "TRUST_NEEDS_PERSON", agent: agent.title };
  const terminal = await openPersonTerminal(host);
  if (terminal === null) return refusal;
  const answer = await askChoice(terminal, {
    intro: `This command was called by ${agent.title}. It changes which hooks may run, and only a person may decide that.\n`,
    question: "Do you want that?",
    choices: { yes: "continue", no: "change nothing" },
  });
  terminal.close();
  return answer === "yes" ? null : refusal;
}
