import type { CommonOptions } from "../../../src/cli/command-table.ts";
import type { Scopes } from "../../../src/discover/scopes.ts";
import type { Host } from "../../../src/engine/host.ts";
import { AGENT_NAMES, type AgentName, INSTALL_SCOPES } from "../../../src/protocol/agent-names.ts";
import { broken, type Checkup, doubtful, fine } from "../../../src/protocol/doctor-check.ts";
import type { EventName } from "../../../src/protocol/event.ts";
import type { Problem } from "../../../src/protocol/problem.ts";
import { explain } from "../../../src/protocol/problem-messages/explain.ts";
import { attemptSync, type Result } from "../../../src/protocol/result.ts";
import { pluralize } from "../../../src/protocol/text/count.ts";
import { AGENTS } from "../../agents/agents.ts";
import { BORROWERS } from "../../agents/borrowers.ts";
import { hookctlProgram } from "../install/agent-shell.ts";
import { createRegistrations, optionsOfAll } from "../install/create-registrations.ts";
import { registrationsIn } from "../install/find-registrations.ts";
import type { HookRequirements } from "../install/hook-requirements.ts";
import {
  commandFor,
  formerTarget,
  type InstallTarget,
  installTarget,
  installTargetIn,
} from "../install/install-target.ts";
import { sealState } from "../install/seal/check-seal.ts";
import { sealPlaceOf } from "../install/seal/write-seal.ts";
import { addRegistrations } from "../install/write-registrations.ts";
import { agentCommand } from "../report/agent-command.ts";
import { programCheck } from "./program-check.ts";
import { isCommand, serverChecks } from "./server-check.ts";
import {
  coverageChecks,
  folderChecks,
  type InstalledSettings,
  settingsChecks,
  switchChecks,
  testedCheck,
} from "./settings-checks.ts";

/** The checks of every agent with an installation here, or of the named one. */
export async function agentChecks(
  named: AgentName | null,
  {
    options,
    needs,
    dropped,
  }: { readonly options: CommonOptions; readonly needs: HookRequirements; readonly dropped: readonly string[] },
  host: Host,
  onAgent: (title: string) => void = () => undefined,
): Promise<readonly Checkup[]> {
  const all = AGENT_NAMES.flatMap((agent) => registrationsOf(agent, options, host));
  const chosen = named === null ? all : all.filter(({ target }) => target.agent.name === named);
  if (chosen.length === 0) return named === null ? [NOT_INSTALLED] : notRegistered(named, options, host);
  const checks: Checkup[] = [];
  for (const one of chosen) {
    onAgent(one.target.agent.title);
    checks.push(...(await siteChecks(one, host)));
  }
  checks.push(
    ...sealChecks(
      chosen.map(({ target }) => target.agent.name),
      { options, dropped },
      host,
    ),
  );
  const agents = [...new Set(chosen.map(({ target }) => target.agent.name))];
  for (const agent of agents) {
    const own = all.filter(({ target }) => target.agent.name === agent);
    checks.push(...folderChecks(AGENTS[agent], own, host), ...duplicateChecks(agent, all));
    checks.push(...coverageChecks(AGENTS[agent], own, needs), testedCheck(AGENTS[agent], own));
  }
  return checks;
}

/** What the agents' settings lost since a person sealed them. */
function sealChecks(
  agents: readonly AgentName[],
  { options, dropped }: { readonly options: CommonOptions; readonly dropped: readonly string[] },
  host: Host,
): readonly Checkup[] {
  const place = sealPlaceOf(options.directory, host);
  if (!place.ok) return [];
  const state = sealState(place.value, [...new Set(agents)]);
  if (state === null) return [doubtful("seal", "the settings of your agents are not sealed", "Run: hookctl seal")];
  const { sealedAtMs } = state;
  const weakened = [...state.weakened, ...dropped];
  const sealed = fine("seal", `settings sealed ${new Date(sealedAtMs).toISOString()}, and nothing was lost since`);
  const fix = "Restore it: hookctl restore. Or accept it: hookctl seal";
  return weakened.length === 0 ? [sealed] : weakened.map((text) => broken("seal", text, fix));
}

/** The agents that call hookctl here. */
export const connectedAgents = (options: CommonOptions, host: Host): readonly AgentName[] =>
  AGENT_NAMES.filter((agent) => registrationsOf(agent, options, host).length > 0);

/** Why the registrations in the project's own settings do not call its hooks. */
export async function projectRegistrationFaults(
  { options, needs, scopes }: { options: CommonOptions; needs: HookRequirements; scopes: Scopes },
  host: Host,
): Promise<readonly { readonly check: Checkup; readonly file: string }[]> {
  const own = AGENT_NAMES.flatMap((agent) =>
    registrationAt(installTargetIn(scopes, { agent, scope: "project", options }, host)),
  );
  const all = own.map(async (one) => {
    const checks = [
      await entryCheck(one, host),
      ...switchChecks(one, host),
      ...coverageChecks(one.target.agent, [one], needs),
    ];
    return checks.filter(({ status }) => status === "fail").map((check) => ({ check, file: one.target.file }));
  });
  return (await Promise.all(all)).flat();
}

const NOT_INSTALLED = broken(
  "agents",
  "no agent is connected, so no hook runs",
  "Connect the agents that you use: hookctl init",
);

/** The fix is `install`, unless a settings file cannot be read, which install would refuse as well. */
function notRegistered(agent: AgentName, options: CommonOptions, host: Host): readonly Checkup[] {
  const faults = INSTALL_SCOPES.flatMap((scope) => {
    const target = installTarget({ agent, scope, options }, host);
    if (!target.ok) return target.error.code === "AGENT_SETTINGS_NOT_PARSED" ? [unreadable(agent, target.error)] : [];
    const read = attemptSync(() => addRegistrations(target.value.text ?? "", target.value, []));
    return read.ok ? [] : [unreadable(agent, read.error)];
  });
  if (faults.length > 0) return faults;
  const line = agentCommand("install", { agent, scope: "project", directory: options.directory });
  return [broken(`${agent} entry`, "hookctl is not installed in this agent", line)];
}

const unreadable = (agent: AgentName, problem: Problem): Checkup =>
  broken(
    `${agent} entry`,
    explain(problem).summary.replace(/\.$/, ""),
    "Correct the file; the agent may ignore all of it.",
  );

function registrationsOf(agent: AgentName, options: CommonOptions, host: Host): readonly InstalledSettings[] {
  return INSTALL_SCOPES.flatMap((scope) => registrationAt(installTarget({ agent, scope, options }, host)));
}

function registrationAt(target: Result<InstallTarget, Problem>): readonly InstalledSettings[] {
  if (!target.ok) return [];
  const former = formerTarget(target.value);
  const text = target.value.text ?? "";
  const lines = registrationsIn(target.value);
  if (lines.length === 0 && former !== null) return [{ target: former, text: former.text ?? "", lines: [] }];
  const isNamed = lines.length > 0 || text.includes(`bridge ${target.value.agent.name} --event `);
  return isNamed ? [{ target: target.value, text, lines }] : [];
}

async function siteChecks(registered: InstalledSettings, host: Host): Promise<readonly Checkup[]> {
  if (registered.lines.length === 0) return [await entryCheck(registered, host)];
  return [
    await entryCheck(registered, host),
    ...(await serverChecks(registered.target, registered.lines, host)),
    ...(await programCheck(registered.target, registered.lines.filter(isCommand), host)),
    ...(await settingsChecks(registered, host)),
  ];
}

/** Checks that the registrations are as `install` would write them, in a file that the agent reads. */
async function entryCheck({ target, text, lines }: InstalledSettings, host: Host): Promise<Checkup> {
  const { agent, shown } = target;
  const name = `${agent.name} entry`;
  if (formerTarget(target)?.file === target.file) {
    return broken(
      name,
      `${agent.title} does not read ${shown}, where hookctl is registered`,
      commandFor("install", target),
    );
  }
  const stray = lines.filter(({ event }) => !Object.hasOwn(agent.events, event)).map(({ event }) => event);
  if (stray.length > 0) {
    return doubtful(
      name,
      `${shown} registers ${stray.join(", ")}, which hookctl does not handle for ${agent.title}`,
      null,
    );
  }
  const program = await hookctlProgram(target, host);
  const after = attemptSync(() => reinstalledText({ target, text, lines }, program));
  if (!after.ok) return unreadable(agent.name, after.error);
  if (after.value !== text) {
    return doubtful(
      name,
      `${shown} differs from what install would write on this machine`,
      `Reinstall: ${commandFor("install", target)}`,
    );
  }
  const narrowed = lines.filter(({ matcher }) => matcher !== "" && matcher !== "*").map(({ event }) => event);
  if (narrowed.length > 0) {
    return doubtful(name, `${shown} registers ${narrowed.join(", ")} only where its matcher fits`, null);
  }
  const count = pluralize(lines.length, "event");
  return fine(name, `${shown} registers ${count}`);
}

/** The text after registering the same events again. */
function reinstalledText({ target, text, lines }: InstalledSettings, program: string): string {
  const options = optionsOfAll(lines, target.agent);
  const registrations = createRegistrations(target, program, {
    ...options,
    events: lines.map(({ event }) => event),
    failClosed: options.isOpenByChoice !== true && options.failClosed,
  });
  return addRegistrations(text, target, registrations);
}

/** Reports two settings files that register the same event: hooks would run twice for one call. */
function duplicateChecks(agent: AgentName, all: readonly InstalledSettings[]): readonly Checkup[] {
  const own = all.filter(({ target }) => target.agent.name === agent);
  const name = `${agent} twice`;
  const several = pairsOf(own)
    .filter(([first, second]) => first.lines.some(({ event }) => second.lines.some((other) => other.event === event)))
    .map(([first, second]) =>
      doubtful(
        name,
        `${first.target.shown} and ${second.target.shown} both call hookctl: hooks run twice`,
        `Keep one: ${commandFor("uninstall", (second.target.scope === "machine" ? first : second).target)}`,
      ),
    );
  const borrower = BORROWERS.find((one) => one.name === agent);
  const ownEvents = own.flatMap(mainEvents);
  const borrowed = all
    .filter(({ target }) => borrower?.from.includes(target.agent.name) && borrower.scopes.includes(target.scope))
    .filter((one) => mainEvents(one).some((event) => ownEvents.includes(event)))
    .map(({ target }) => doubtful(name, `it also reads ${target.shown}, so hooks can run twice for a call`, null));
  return [...several, ...borrowed];
}

/** The hookctl events of the registered events. */
const mainEvents = ({ target: { agent }, lines }: InstalledSettings): readonly EventName[] =>
  lines.flatMap(({ event }) => agent.events[event]?.raises[0]?.event ?? []);

const pairsOf = <T>(all: readonly T[]): readonly (readonly [T, T])[] =>
  all.flatMap((first, index) => all.slice(index + 1).map((second) => [first, second] as const));
