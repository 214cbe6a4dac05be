import type { Scopes } from "../../../src/discover/scopes.ts";
import type { Host } from "../../../src/engine/host.ts";
import { escapeControls } from "../../../src/protocol/text/text.ts";
import { problemText } from "../../../src/report/problem-text.ts";
import { PLAIN_STYLE } from "../../../src/report/text-style.ts";
import type { FoundRegistration } from "../../agents/agent-install.ts";
import { AGENT_INSTALLS } from "../../agents/agents.ts";
import { openRegistrationText, skippedText, updatedRegistrationText } from "../report/install-text.ts";
import { askAgentTrust } from "./agent-trust.ts";
import { neededRegistrations, parseRegistration, registrationOptions } from "./create-registrations.ts";
import { registrationsIn } from "./find-registrations.ts";
import { eventsToRegister, type HookRequirements, hookRequirementsFor, NO_REQUIREMENTS } from "./hook-requirements.ts";
import { commandFor, type InstallTarget, installTargetIn, type TargetSelection } from "./install-target.ts";
import { sealWritten } from "./seal/write-seal.ts";
import { presentText } from "./settings-file/write-settings-files.ts";
import { installChanges, writeInstallChanges } from "./write-registrations.ts";

interface ManagedRegistration {
  readonly target: InstallTarget;
  readonly lines: readonly FoundRegistration[];
  readonly program: string;
}

/**
 * Registers the events of the hooks in these settings files. Files without a registration are not changed, nor is any
 * registration that exists.
 */
export async function refreshRegistrations(
  present: readonly TargetSelection[],
  scopes: Scopes,
  host: Host,
): Promise<void> {
  const found = present.flatMap((selection) => {
    const target = installTargetIn(scopes, selection, host);
    return target.ok ? registrationAt(target.value) : [];
  });
  const [first] = found;
  if (first === undefined) return;
  const needs = await hookRequirementsFor(first.target.options, host);
  for (const one of found) {
    const own = found.filter(({ target }) => target.agent === one.target.agent);
    const isTold = updateRegistration(one, own, needs, host);
    if (isTold) await sealWritten(one.target, host, false);
    await tellSkipped(one.target, isTold, host);
  }
}

/** An agent that skips an entry does so without a word. `isTold`: the person has just read what is still to do. */
async function tellSkipped(target: InstallTarget, isTold: boolean, host: Host): Promise<void> {
  const { agent, shown } = target;
  const written = presentText(target.file, shown);
  if (!written.ok) return;
  const lines = registrationsIn({ ...target, text: written.value });
  const answer = await askAgentTrust(target, lines, host);
  if (answer === null || answer.skipped.length === 0) return;
  const next = isTold ? "" : `  ${AGENT_INSTALLS[agent.name].stillToDo}\n`;
  host.err(`✖ ${skippedText(agent.title, answer.skipped)} of ${escapeControls(shown)}\n${next}`);
}

/** Empty if `install` did not write the registrations: others are not updated. */
function registrationAt(target: InstallTarget): readonly ManagedRegistration[] {
  const lines = registrationsIn(target);
  const program = lines.flatMap((line) => parseRegistration(line, target)?.program ?? [])[0];
  return program === undefined ? [] : [{ target, lines, program }];
}

/** Returns true if events were added. */
function updateRegistration(
  { target, lines, program }: ManagedRegistration,
  own: readonly ManagedRegistration[],
  needs: HookRequirements,
  host: Host,
): boolean {
  const { agent, scope, shown } = target;
  if (needs.hasFailClosed && scope === "project" && lines.every(isOpen)) {
    const install = commandFor("install", target, ["--fail-closed"]);
    host.err(openRegistrationText({ agent: agent.title, shown, install }));
  }
  const elsewhere = own.flatMap((other) => (other.target === target ? [] : other.lines.map(({ event }) => event)));
  // A hook would run twice if two files registered its event: only the first file gets new events.
  const isFirst = own[0]?.target === target;
  const required = needs.events.length > 0 && isFirst ? eventsToRegister(agent, needs) : [];
  const events = required.filter((event) => !elsewhere.includes(event));
  const planned = neededRegistrations(target, { events, mode: null, needs: NO_REQUIREMENTS, program });
  const added = planned.map(({ event }) => event).filter((event) => lines.every((line) => line.event !== event));
  if (added.length === 0) return false;
  const changes = installChanges(target, planned);
  const written = changes.ok ? writeInstallChanges(target, changes.value, host) : changes;
  if (!written.ok) {
    host.err(problemText(written.error, PLAIN_STYLE));
    return false;
  }
  const { stillToDo } = AGENT_INSTALLS[agent.name];
  host.err(updatedRegistrationText({ agent: agent.title, shown, added, stillToDo }));
  return true;
}

const isOpen = ({ command }: FoundRegistration): boolean => {
  const { failClosed, isOpenByChoice } = registrationOptions(command);
  return !failClosed && isOpenByChoice !== true;
};
