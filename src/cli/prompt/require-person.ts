import { createRunContext } from "../../engine/create-run-context.ts";
import type { Host, Terminal } from "../../engine/host.ts";
import type { Problem } from "../../protocol/problem.ts";
import { ProblemError } from "../../protocol/result.ts";
import type { PersonProof } from "../../protocol/settings-file.ts";
import { COMMON_OPTIONS } from "../common-options.ts";
import { unsetOptions } from "../options.ts";
import { askChoice, type ChoiceQuestion } from "./ask-choice.ts";
import { whyNotAuthorized } from "./authority.ts";
import { type CommandCaller, judgeCaller } from "./judge-caller.ts";

const callerOf = async (host: Host): Promise<CommandCaller> =>
  judgeCaller({
    ...host,
    table: await host.readProcesses(),
    agents: await import("../../../packages/agents/agent-processes.ts"),
  });

/** The agent that started this call, by its variables and its processes. That none was found proves nothing. */
export const parentAgent = async (host: Host): Promise<string | null> => (await callerOf(host)).agent;

/** Opens the terminal of a person. There may be none, or an agent may type on it. */
export async function openPersonTerminal(host: Host): Promise<Terminal | null> {
  const { terminalFault } = await callerOf(host);
  return terminalFault === null ? host.openTerminal() : null;
}

/**
 * Only a person may approve a hook or weaken a guard: somebody with a login terminal, who authenticates if the settings
 * demand that. If an agent started the call, asks on the terminal. Throws a problem if it was not a person.
 */
export async function requirePerson(host: Host): Promise<void> {
  const caller = await callerOf(host);
  const proof = await demandedProof(host);
  if (caller.agent !== null) await confirmCallOf(caller.agent, caller, host);
  else if (proof === "terminal" && caller.terminalFault !== null) throw unproven(caller.terminalFault);
  await authenticate(proof, host);
}

/** As `requirePerson`, where not even a confirmation on the agent's terminal is enough. */
export async function requirePersonWithoutAgent(host: Host): Promise<void> {
  const agent = await parentAgent(host);
  if (agent !== null) throw calledBy(agent);
  await requirePerson(host);
}

/** Asks before a change that is hard to undo. Throws `otherwise` if there is no terminal. */
export async function requireYes(
  terminal: Terminal | null,
  question: ChoiceQuestion<"yes" | "no">,
  otherwise: Problem,
): Promise<void> {
  if (terminal === null) throw new ProblemError(otherwise);
  const answer = await askChoice(terminal, question);
  terminal.close();
  if (answer !== "yes") throw new ProblemError({ code: "TRUST_NOT_CONFIRMED", cause: "you did not say yes" });
}

const calledBy = (agent: string): ProblemError =>
  new ProblemError({ code: "TRUST_NEEDS_PERSON", cause: `this command was called by ${agent}`, isAgent: true });

const unproven = (cause: string): ProblemError =>
  new ProblemError({ code: "TRUST_NEEDS_PERSON", cause, isAgent: false });

async function confirmCallOf(agent: string, caller: CommandCaller, host: Host): Promise<void> {
  const terminal = caller.terminalFault === null ? await host.openTerminal() : null;
  if (terminal === null) throw calledBy(agent);
  const answer = await askChoice(terminal, {
    intro: `This command was called by ${agent}. It changes which hooks may run, and only a person may decide that.\n`,
    question: "Do you want that?",
    choices: { yes: "continue", no: "change nothing" },
  });
  terminal.close();
  if (answer !== "yes") throw calledBy(agent);
}

/** The proof that the machine and the user demand. A project has no say, because a clone brings its settings. */
async function demandedProof(host: Host): Promise<PersonProof> {
  const options = { ...unsetOptions(COMMON_OPTIONS), directory: "/", useCache: false };
  const started = await createRunContext(options, host, false);
  return started.ok ? started.value.context.settings.person : "terminal";
}

/** An authority that an agent lacks is a better proof than a terminal, and the way out where that is in doubt. */
async function authenticate(proof: PersonProof, host: Host): Promise<void> {
  if (proof === "none" || proof === "terminal") return;
  const terminal = await host.openTerminal();
  if (terminal === null) throw unproven(`there is no terminal on which ${proof} could ask you`);
  const fault = await whyNotAuthorized(proof, terminal, host);
  terminal.close();
  if (fault !== null) throw unproven(fault);
}
