import { createRunContext } from "../../engine/create-run-context.ts";
import type { Host } from "../../host.ts";
import type { HostProblem } from "../../protocol/problem.ts";
import type { PersonProof } from "../../protocol/settings-file.ts";
import type { Terminal } from "../../terminal.ts";
import { askChoice } from "./ask-choice.ts";
import { type Authority, whyNotAuthorized } from "./authority.ts";
import { type CommandCaller, judgeCaller } from "./judge-caller.ts";

const callerOf = async (host: Host): Promise<CommandCaller> =>
  judgeCaller({ ...host, table: await host.readProcesses() });

/** The agent that started this call, by its variables and its processes; null: no agent was found, which proves nothing. */
export const parentAgent = async (host: Host): Promise<string | null> => (await callerOf(host)).agent;

/** Opens the terminal of a person; null: there is none, or an agent may type on it. */
export async function openPersonTerminal(host: Host): Promise<Terminal | null> {
  const { terminalFault } = await callerOf(host);
  return terminalFault === null ? host.openTerminal() : null;
}

/**
 * Only a person may approve a hook or weaken a guard: one with a terminal of their own, who authenticates if the settings
 * demand that. If an agent is above the call, asks on the terminal. Returns null if a person called.
 */
export async function requirePerson(host: Host): Promise<HostProblem | null> {
  const caller = await callerOf(host);
  const proof = await demandedProof(host);
  if (caller.agent !== null) return (await confirmBelow(caller.agent, caller, host)) ?? authenticate(proof, host);
  if (proof !== "terminal") return authenticate(proof, host);
  return caller.terminalFault === null ? null : unproven(caller.terminalFault);
}

/** As `requirePerson`, where not even a confirmation on the agent's terminal counts. */
export async function requirePersonWithoutAgent(host: Host): Promise<HostProblem | null> {
  const agent = await parentAgent(host);
  return agent === null ? requirePerson(host) : calledBy(agent);
}

/** For a command that only restores what was decided before: refuses an agent, but needs no proof of a person. */
export async function refuseAgent(host: Host): Promise<HostProblem | null> {
  return (await parentAgent(host)) === null ? null : requirePerson(host);
}

const calledBy = (agent: string): HostProblem => ({
  code: "TRUST_NEEDS_PERSON",
  cause: `this command was called by ${agent}`,
  isAgent: true,
});

const unproven = (cause: string): HostProblem => ({ code: "TRUST_NEEDS_PERSON", cause, isAgent: false });

async function confirmBelow(agent: string, caller: CommandCaller, host: Host): Promise<HostProblem | null> {
  const terminal = caller.terminalFault === null ? await host.openTerminal() : null;
  if (terminal === null) return calledBy(agent);
  const answer = await askChoice(terminal, {
    intro: `This command was called by ${agent}. It changes which hooks may run, and only a person may decide that.\n`,
    question: "Do you want that?",
    choices: { yes: "continue", no: "change nothing" },
  });
  terminal.close();
  return answer === "yes" ? null : calledBy(agent);
}

/** The proof in the settings of the machine and the user. No project is asked, because a clone brings its settings. */
async function demandedProof(host: Host): Promise<PersonProof> {
  const lookups = { directory: "/", hooksDirs: [], config: null, only: null, skip: [], useCache: false };
  const limits = { timeoutMs: null, deadlineMs: null, trust: false };
  const started = await createRunContext({ ...lookups, ...limits }, host, false);
  return started.ok ? started.value.context.settings.person : "terminal";
}

/** An authority that an agent lacks is a better proof than a terminal, and the way out where that is in doubt. */
async function authenticate(proof: PersonProof, host: Host): Promise<HostProblem | null> {
  if (proof === "none" || proof === "terminal") return null;
  const fault = await askAuthority(proof, host);
  return fault === null ? null : unproven(fault);
}

async function askAuthority(authority: Authority, host: Host): Promise<string | null> {
  const terminal = await host.openTerminal();
  if (terminal === null) return `there is no terminal on which ${authority} could ask you`;
  const fault = await whyNotAuthorized(authority, terminal, host);
  terminal.close();
  return fault;
}
