import type { FoundRegistration, Registration } from "../agents/agent-install.ts";
import { AGENT_INSTALLS } from "../agents/agents.ts";
import type { Scopes } from "../discover/scopes.ts";
import type { Host } from "../host.ts";
import { updatedRegistrationText } from "../report/install-text.ts";
import { problemText } from "../report/problem-text.ts";
import { PLAIN_STYLE } from "../report/text-style.ts";
import { DEADLINE, neededRegistrations, parseRegistration, registrationOptions } from "./create-registrations.ts";
import { eventsToRegister, type HookRequirements, hookRequirementsFor } from "./hook-requirements.ts";
import { type InstallTarget, installTargetIn, type TargetSelection } from "./install-target.ts";
import { findRegistrations, parseSettingsText } from "./registrations-in-text.ts";
import { installChanges, writeInstallChanges } from "./write-registrations.ts";

interface ManagedRegistration {
  readonly target: InstallTarget;
  readonly lines: readonly FoundRegistration[];
  readonly program: string;
}

/**
 * Registers the events of the hooks in these settings files, with their timeouts, and fail-closed if one of them is.
 * Files without a registration are not changed.
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
    updateRegistration(one, own, needs, host);
  }
}

/** Empty if `install` did not write the registrations: others are not updated. */
function registrationAt(target: InstallTarget): readonly ManagedRegistration[] {
  const { agent, text, format } = target;
  if (text === null) return [];
  const lines = findRegistrations(parseSettingsText(text, format), agent.name);
  const program = lines.flatMap((line) => parseRegistration(line, agent)?.program ?? [])[0];
  return program === undefined ? [] : [{ target, lines, program }];
}

function updateRegistration(
  { target, lines, program }: ManagedRegistration,
  own: readonly ManagedRegistration[],
  needs: HookRequirements,
  host: Host,
) {
  const { agent, shown } = target;
  const elsewhere = own.flatMap((other) => (other.target === target ? [] : other.lines.map(({ event }) => event)));
  // A hook would run twice if two files registered its event: only the first file gets new events.
  const isFirst = own[0]?.target === target;
  const required = needs.events.length > 0 && isFirst ? eventsToRegister(agent, needs) : [];
  const events = required.filter((event) => !elsewhere.includes(event));
  const planned = neededRegistrations(target, { events, mode: null, needs, program });
  const added = planned.filter(({ event }) => !lines.some((line) => line.event === event));
  const other = planned.filter((line) => isStricter(line, lines));
  if (added.length + other.length === 0) return;
  const changes = installChanges(target, planned);
  const written = changes.ok ? writeInstallChanges(target, changes.value, host) : changes;
  if (!written.ok) {
    host.err(problemText(written.error, PLAIN_STYLE));
    return;
  }
  const { stillToDo } = AGENT_INSTALLS[agent.name];
  const isClosed = other.some(({ failClosed }) => failClosed);
  host.err(
    updatedRegistrationText({ agent: agent.title, shown, added: added.map(({ event }) => event), isClosed, stillToDo }),
  );
}

/** True if the registration becomes fail-closed or gets another deadline. */
function isStricter({ event, command }: Registration, lines: readonly FoundRegistration[]): boolean {
  const present = lines.find((line) => line.event === event);
  if (present === undefined) return false;
  const deadline = (text: string) => DEADLINE.exec(text)?.[1];
  const isClosed = (text: string) => registrationOptions(text, event).failClosed;
  return (isClosed(command) && !isClosed(present.command)) || deadline(command) !== deadline(present.command);
}
