import type { CommonOptions } from "../../../src/cli/command-table.ts";
import { createRunContext } from "../../../src/engine/create-run-context.ts";
import { findAllCandidates } from "../../../src/engine/hooks/candidates.ts";
import { resolveHooks } from "../../../src/engine/hooks/resolve-hooks.ts";
import { withoutPauses } from "../../../src/engine/hooks/select-hooks.ts";
import type { Host } from "../../../src/engine/host.ts";
import type { RunContext } from "../../../src/engine/run-context.ts";
import { hooksAreOff } from "../../../src/engine/run-context.ts";
import { closeInheritedOnFirstStart } from "../../../src/process/spawn-child.ts";
import type { EventName } from "../../../src/protocol/event.ts";
import type { Hook } from "../../../src/protocol/hook.ts";
import type { Agent } from "../../agents/agent.ts";
import { effectiveCage } from "../../cage/cage-settings.ts";

/** The requirements of hooks on a registration. */
export interface HookRequirements {
  /** Events that a hook handles, or that the text of a hook that is not approved yet mentions. */
  readonly events: readonly EventName[];
  readonly hasFailClosed: boolean;
}

export const NO_REQUIREMENTS: HookRequirements = { events: [], hasFailClosed: false };

/** Disabled hooks require nothing. A hook that is not approved cannot make a registration fail-closed. */
export function requirementsOf(hooks: readonly Hook[]): HookRequirements {
  const on = hooks.filter(({ state }) => state !== "disabled");
  return {
    events: [...new Set(on.flatMap(({ events, mentionedEvents }) => [...events, ...mentionedEvents]))],
    hasFailClosed: on.some(
      ({ failOpen, observe, trust }) => !failOpen && !observe && trust !== "untrusted" && trust !== "denied",
    ),
  };
}

/** Adds the events of hooks that are about to be added. */
export const withMoreEvents = (needs: HookRequirements, added: readonly EventName[]): HookRequirements => ({
  ...needs,
  events: [...new Set([...needs.events, ...added])],
});

/** Adds the events of the cage, if the settings have one: it prepares shell calls, and checks them when they are over. */
export function withCage(needs: HookRequirements, context: RunContext): HookRequirements {
  if (effectiveCage(context) === null) return needs;
  const { events } = needs;
  return withMoreEvents({ ...needs, events: events.length === 0 ? FIRST_EVENTS : events }, [
    "before_tool_call",
    "after_tool_call",
  ]);
}

/** Registered if there is no hook yet, so that a first guard works at once. */
const FIRST_EVENTS: readonly EventName[] = ["before_tool_call", "user_message_send"];

/** The agent's events to register: those of the hooks, and the one at which hooks of other events are noticed. */
export function eventsToRegister(agent: Agent, { events }: Pick<HookRequirements, "events">): readonly string[] {
  const required = events.length === 0 ? FIRST_EVENTS : events;
  const notice = noticeEvent(agent);
  return [
    ...new Set([...required.flatMap((event) => nativeEventsFor(agent, event)), ...(notice === null ? [] : [notice])]),
  ];
}

/** The agent's events that raise this one: those registered by default, or else the others. */
export function nativeEventsFor({ events }: Agent, event: EventName): readonly string[] {
  const raising = Object.entries(events).filter(([, { raises }]) => raises.some((raised) => raised.event === event));
  const byDefault = raising.filter(([, { isOnRequest }]) => isOnRequest !== true);
  return (byDefault.length > 0 ? byDefault : raising).map(([name]) => name);
}

/** The event in which missing registrations are reported: the session start, or else a prompt. */
export const noticeEvent = (agent: Agent): string | null =>
  nativeEventsFor(agent, "session_start")[0] ?? nativeEventsFor(agent, "user_message_send")[0] ?? null;

/** The requirements of the hooks of the project and the user. Unusable settings require nothing. */
export async function hookRequirementsFor(options: CommonOptions, host: Host): Promise<HookRequirements> {
  const started = await createRunContext(options, host, !hooksAreOff(options, host));
  return started.ok ? hookRequirementsIn(started.value.context) : NO_REQUIREMENTS;
}

export async function hookRequirementsIn(context: RunContext): Promise<HookRequirements> {
  closeInheritedOnFirstStart();
  const lasting = withoutPauses(context);
  return withCage(requirementsOf((await resolveHooks(findAllCandidates(lasting), lasting, null)).hooks), context);
}
