import type { FoundRegistration, Registration } from "../agents/agent-install.ts";
import { createRegistrations, registrationOptions } from "./create-registrations.ts";
import { findRegistrations } from "./find-registrations.ts";
import { agentTimeoutsFor, eventsToRegister, type HookRequirements } from "./hook-requirements.ts";
import { formerTarget, type InstallTarget } from "./install-target.ts";
import { parseSettingsText } from "./registrations-in-text.ts";

/** What a person and the hooks want to be registered. */
export interface RegistrationRequest {
  /** Null: the events of the hooks. */
  readonly events: readonly string[] | null;
  /** Chosen by a person; null: as registered before, or as the hooks require. */
  readonly mode: "fail-closed" | "fail-open" | null;
  readonly needs: HookRequirements;
  readonly program: string;
}

/** The registrations in the settings file and in the one that earlier versions wrote. */
function presentRegistrations(target: InstallTarget): readonly FoundRegistration[] {
  const places = [target, ...[formerTarget(target)].flatMap((one) => one ?? [])];
  return places.flatMap(({ text, format, agent }) =>
    findRegistrations(parseSettingsText(text ?? "", format), agent.name),
  );
}

/** The registrations to write. None is dropped, and none becomes fail-open unless a person chose that. */
export function neededRegistrations(
  target: InstallTarget,
  { events, mode, needs, program }: RegistrationRequest,
): readonly Registration[] {
  const { agent, scope } = target;
  const present = presentRegistrations(target);
  const styles = present.map(({ command, event }) => registrationOptions(command, event));
  const isOpenByChoice =
    mode === "fail-open" || (mode === null && styles.some((style) => style.isOpenByChoice === true));
  const isClosed = mode === "fail-closed" || needs.hasFailClosed || styles.some((style) => style.failClosed);
  const limits = [agentTimeoutsFor(agent, needs), ...styles.map((style) => style.timeoutsMs ?? {})];
  // Without hooks the existing registrations are enough.
  const needed = present.length > 0 && needs.events.length === 0 ? [] : eventsToRegister(agent, needs);
  const known = present.map(({ event }) => event).filter((event) => Object.hasOwn(agent.events, event));
  return createRegistrations(agent, program, {
    events: [...(events ?? needed), ...known],
    failClosed: isClosed && !isOpenByChoice,
    isOpenByChoice,
    // User and local settings are not committed.
    isShared: scope === "project",
    timeoutsMs: longest(limits),
  });
}

function longest(all: readonly Readonly<Record<string, number>>[]): Record<string, number> {
  const limits: Record<string, number> = {};
  for (const [event, ms] of all.flatMap((one) => Object.entries(one))) limits[event] = Math.max(limits[event] ?? 0, ms);
  return limits;
}
