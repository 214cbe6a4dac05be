import type { CommonOptions } from "../../../src/cli/command-table.ts";
import type { Scopes } from "../../../src/discover/scopes.ts";
import type { Host } from "../../../src/engine/host.ts";
import { clockText, dayText } from "../../../src/engine/pauses.ts";
import { AGENT_NAMES, type AgentName, INSTALL_SCOPES } from "../../../src/protocol/agent-names.ts";
import type { Checkup } from "../../../src/protocol/doctor-check.ts";
import type { EventName } from "../../../src/protocol/event.ts";
import type { Problem } from "../../../src/protocol/problem.ts";
import { explain } from "../../../src/protocol/problem-messages/explain.ts";
import { attemptSync, type Result } from "../../../src/protocol/result.ts";
import { pluralize } from "../../../src/protocol/text/count.ts";
import { formerAddressAgent } from "../../agents/agent.ts";
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
import { broken, type Check, doubtful, type Finding, fine, runChecks } from "./check.ts";
import { programFindings } from "./program-check.ts";
import type { ProjectFault } from "./project-faults.ts";
import {
  type AgentFacts,
  eventFindings,
  folderFindings,
  formerFileFindings,
  type InstalledSettings,
  namesakeFindings,
  switchFindings,
  testedFinding,
  trustFindings,
  variableFindings,
} from "./settings-checks.ts";

/** The checks of one settings file with registrations. */
const REGISTRATION_CHECKS: readonly Check<InstalledSettings>[] = [
  { name: "entry", find: entryFinding },
  { name: "program", find: programFindings },
  { name: "switch", find: switchFindings },
  { name: "switch", find: variableFindings },
  { name: "plugin", find: namesakeFindings },
  { name: "trust", find: trustFindings },
  { name: "file", find: formerFileFindings },
];

/** The checks of one agent with all its settings files. */
const AGENT_CHECKS: readonly Check<AgentFacts>[] = [
  { name: "folder", find: folderFindings },
  { name: "twice", find: duplicateFindings },
  { name: "events", find: eventFindings },
  { name: "version", find: testedFinding },
];

interface CheckedAgents {
  readonly options: CommonOptions;
  readonly needs: HookRequirements;
  /** The guards that the user's settings lost, as texts. */
  readonly dropped: readonly string[];
}

/** The checks of every agent with an installation here, or of the named agents. */
export async function agentChecks(
  named: readonly AgentName[],
  { options, needs, dropped }: CheckedAgents,
  host: Host,
  onAgent: (title: string) => void = () => undefined,
): Promise<readonly Checkup[]> {
  const all = AGENT_NAMES.flatMap((agent) => registrationsOf(agent, options, host));
  const chosen = named.length === 0 ? all : all.filter(({ target }) => named.includes(target.agent.name));
  if (chosen.length + named.length === 0) return runChecks([NOT_INSTALLED], null);
  const checks: Checkup[] = [];
  for (const agent of named) {
    const missing = { name: "entry", find: () => notRegistered(agent, options, host) };
    if (chosen.every(({ target }) => target.agent.name !== agent))
      checks.push(...(await runChecks([missing], null, `${agent} `)));
  }
  if (chosen.length === 0) return checks;
  for (const registered of chosen) {
    const { name, title } = registered.target.agent;
    onAgent(title);
    // Without a registration that can be read only its absence is reported.
    const rows = REGISTRATION_CHECKS.slice(0, registered.lines.length === 0 ? 1 : undefined);
    checks.push(...(await runChecks(rows, registered, `${name} `)));
  }
  const isVerbose = options.json || options.verbosity > 0;
  const agents = [...new Set(chosen.map(({ target }) => target.agent.name))];
  checks.push(...(await runChecks([{ name: "seal", find: () => sealFindings(agents, options, dropped, host) }], null)));
  for (const name of agents) {
    const files = all.filter(({ target }) => target.agent.name === name);
    checks.push(
      ...(await runChecks(AGENT_CHECKS, { agent: AGENTS[name], files, all, needs, host, isVerbose }, `${name} `)),
    );
  }
  return checks;
}

const NOT_INSTALLED: Check<null> = {
  name: "agents",
  find: () => broken("no agent is connected, so no hook runs", "Connect the agents that you use: hookctl init"),
};

/** What the agents' settings lost since a person sealed them. */
function sealFindings(
  agents: readonly AgentName[],
  options: CommonOptions,
  dropped: readonly string[],
  host: Host,
): readonly Finding[] {
  const place = sealPlaceOf(options.directory, host);
  if (!place.ok) return [];
  const state = sealState(place.value, agents);
  const unsealed = "your agents' settings are not sealed: no call notices if they lose hookctl's entries";
  if (state === null) return [doubtful(unsealed, "Run: hookctl seal")];
  const weakened = [...state.weakened, ...dropped];
  if (weakened.length > 0) {
    return weakened.map((text) => broken(text, "Restore it: hookctl restore. Or accept it: hookctl seal"));
  }
  const [sealedMs, nowMs] = [state.sealedAtMs, host.nowMs()];
  const day = dayText(sealedMs) === dayText(nowMs) ? " today" : "";
  return [fine(`agent settings unchanged since ${clockText(sealedMs, nowMs)}${day}`)];
}

/** The agents that call hookctl here. */
export const connectedAgents = (options: CommonOptions, host: Host): readonly AgentName[] =>
  AGENT_NAMES.filter((agent) => registrationsOf(agent, options, host).length > 0);

/** Why the registrations in the project's own settings do not call its hooks. */
export async function registrationFaults(
  { options, needs, scopes }: { options: CommonOptions; needs: HookRequirements; scopes: Scopes },
  host: Host,
): Promise<readonly ProjectFault[]> {
  const files = AGENT_NAMES.flatMap((agent) =>
    registrationAt(installTargetIn(scopes, { agent, scope: "project", options }, host), host),
  );
  const faults = files.map(async (file): Promise<readonly ProjectFault[]> => {
    const { agent, file: path } = file.target;
    const events = eventFindings({ agent, files: [file], needs, isVerbose: false });
    const found = [await entryFinding(file), ...switchFindings(file), ...events];
    return found
      .filter(({ status }) => status === "fail")
      .map(({ detail: message, hint }) => {
        return { check: "every guard can block", name: "", path, line: null, message, hint: hint ?? "" };
      });
  });
  return (await Promise.all(faults)).flat();
}

/** The fix is `install`, unless a settings file cannot be read, which install would refuse as well. */
function notRegistered(agent: AgentName, options: CommonOptions, host: Host): readonly Finding[] {
  const faults = INSTALL_SCOPES.flatMap((scope) => {
    const target = installTarget({ agent, scope, options }, host);
    if (!target.ok) return target.error.code === "AGENT_SETTINGS_NOT_PARSED" ? [unreadable(target.error)] : [];
    const read = attemptSync(() => addRegistrations(target.value.text ?? "", target.value, []));
    return read.ok ? [] : [unreadable(read.error)];
  });
  if (faults.length > 0) return faults;
  const line = agentCommand("init", { agent, scope: "project", directory: options.directory });
  return [broken("hookctl is not installed in this agent", line)];
}

const unreadable = (problem: Problem): Finding =>
  broken(explain(problem).summary.replace(/\.$/, ""), "Correct the file; the agent may ignore all of it.");

function registrationsOf(agent: AgentName, options: CommonOptions, host: Host): readonly InstalledSettings[] {
  return INSTALL_SCOPES.flatMap((scope) => registrationAt(installTarget({ agent, scope, options }, host), host));
}

function registrationAt(found: Result<InstallTarget, Problem>, host: Host): readonly InstalledSettings[] {
  if (!found.ok) return [];
  const target = found.value;
  const text = target.text ?? "";
  const lines = registrationsIn(target);
  const former = lines.length === 0 ? formerTarget(target) : null;
  if (former !== null) return [{ target: former, text: former.text ?? "", lines: [], host }];
  const isNamed = lines.length > 0 || text.includes(`bridge ${target.agent.name} --event `);
  return isNamed ? [{ target, text, lines, host }] : [];
}

/** Whether the registrations are as `install` would write them, in a file that the agent reads. */
async function entryFinding({ target, text, lines, host }: InstalledSettings): Promise<Finding> {
  const { agent, shown } = target;
  const install = commandFor("init", target);
  if (formerTarget(target)?.file === target.file) {
    return broken(`${agent.title} does not read ${shown}, where hookctl is registered`, install);
  }
  const stray = lines.filter(({ event }) => !Object.hasOwn(agent.events, event)).map(({ event }) => event);
  if (stray.length > 0) {
    return doubtful(`${shown} registers ${stray.join(", ")}, which hookctl does not handle for ${agent.title}`);
  }
  const former = lines.filter(({ command }) => formerAddressAgent(command) !== null).map(({ event }) => event);
  if (former.length > 0) {
    const detail = `${shown} calls an HTTP server at ${former.join(", ")}, which hookctl no longer has: no hook of these events runs`;
    return broken(detail, `Reinstall: ${install}`);
  }
  const program = await hookctlProgram(target, host);
  const after = attemptSync(() => reinstalledText({ target, text, lines, host }, program));
  if (!after.ok) return unreadable(after.error);
  if (after.value !== text) {
    return doubtful(`${shown} differs from what install would write on this machine`, `Reinstall: ${install}`);
  }
  const narrowed = lines.filter(({ matcher }) => matcher !== "" && matcher !== "*").map(({ event }) => event);
  if (narrowed.length > 0) {
    return doubtful(`${shown} registers ${narrowed.join(", ")} only where its matcher fits`);
  }
  return fine(`${shown} registers ${pluralize(lines.length, "event")}`);
}

/** The text after registering the same events again. */
function reinstalledText({ target, text, lines }: InstalledSettings, program: string): string {
  const options = optionsOfAll(lines);
  const registrations = createRegistrations(target, program, {
    ...options,
    events: lines.map(({ event }) => event),
    failClosed: options.isOpenByChoice !== true && options.failClosed,
  });
  return addRegistrations(text, target, registrations);
}

/** Two settings files that register the same event: hooks would run twice for one call. */
function duplicateFindings({ agent, files, all }: AgentFacts): readonly Finding[] {
  const pairs = files.flatMap((first, index) => files.slice(index + 1).map((second) => [first, second] as const));
  const several = pairs
    .filter(([first, second]) => first.lines.some(({ event }) => second.lines.some((other) => other.event === event)))
    .map(([{ target: first }, { target: second }]) =>
      doubtful(
        `${first.shown} and ${second.shown} both call hookctl: hooks run twice`,
        `Keep one: ${commandFor("uninstall", second.scope === "machine" ? first : second)}`,
      ),
    );
  const borrower = BORROWERS.find(({ name }) => name === agent.name);
  const events = files.flatMap(mainEvents);
  const borrowed = all
    .filter(({ target }) => borrower?.from.includes(target.agent.name) && borrower.scopes.includes(target.scope))
    .filter((file) => mainEvents(file).some((event) => events.includes(event)))
    .map(({ target }) => doubtful(`it also reads ${target.shown}, so hooks can run twice for a call`));
  return [...several, ...borrowed];
}

/** The hookctl events of the registered events. */
const mainEvents = ({ target: { agent }, lines }: InstalledSettings): readonly EventName[] =>
  lines.flatMap(({ event }) => agent.events[event]?.raises[0]?.event ?? []);
