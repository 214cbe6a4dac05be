import { DIALECTS } from "../../../src/dialects/dialects.ts";
import { canBlockAt } from "../../../src/engine/hooks/apply-settings.ts";
import { canonicalField, type NamedEvent } from "../../../src/protocol/event.ts";
import type { EffectiveGuard } from "../../../src/protocol/guard-settings.ts";
import type { Hook } from "../../../src/protocol/hook.ts";
import { matchableFields } from "../../../src/protocol/match.ts";
import { nearest } from "../../../src/protocol/text/nearest.ts";
import { listNames } from "../../../src/protocol/text/text.ts";
import { KNOWN_NAMES, type KnownTools, unmatchedAgents } from "../../agents/match-coverage.ts";
import type { ProjectFault } from "./settings-faults.ts";

/** Guards that no call can trigger as they are declared and configured. */
export function inertGuards(
  hooks: readonly Hook[],
  guards: readonly EffectiveGuard[],
  agents: readonly KnownTools[],
): readonly ProjectFault[] {
  const on = hooks.filter(({ kind, disabledReason }) => kind !== "guard" && disabledReason === null);
  return [
    ...on.flatMap((hook) => [...closedInVain(hook), ...matchesNoField(hook), ...matchesNoTool(hook, agents)]),
    ...guards.flatMap((guard) => [...onlyObserves(guard), ...guardsNothing(guard)]),
  ];
}

const fault = (about: Pick<ProjectFault, "name" | "path" | "message" | "hint">): ProjectFault => ({
  ...about,
  check: "every guard can block",
  line: null,
});

/** The failure of a fail-closed hook blocks, so the hook should be able to block. */
function closedInVain({ name, path, failOpen, observe, events }: Hook): readonly ProjectFault[] {
  if (failOpen || observe || events.length === 0 || events.some(canBlockAt)) return [];
  const message = `${name} is fail-closed, but what it handles cannot be blocked: ${listNames(events)}`;
  const hint = "Let it handle an event that can be blocked, such as before_tool_call: docs/events.md";
  return [fault({ name, path, message, hint })];
}

/** Such a condition matches no payload. */
function matchesNoField({ name, path, match, events, dialect, dialects }: Hook): readonly ProjectFault[] {
  if (events.length === 0) return [];
  const named = events.map((event): NamedEvent => ({ event, dialect: dialects?.[event] ?? dialect }));
  const known = [...new Set(events.flatMap(matchableFields))];
  // Such a dialect passes on the caller's fields under any name.
  const isOpen = named.some((one) => DIALECTS[one.dialect].passThrough !== undefined);
  const fields = new Set(Object.keys(match ?? {}).map((one) => one.split(".")[0] ?? one));
  return [...fields].flatMap((field) => {
    const meant = nearest(field, known);
    if (named.some((one) => hasField(one, field)) || (isOpen && meant === null)) return [];
    const message = `${name} never runs: its match names the field ${field}, which ${listNames(events)} does not have`;
    const hint = meant === null ? `It has ${listNames(known)}.` : `Did you mean ${meant}?`;
    return [fault({ name, path, message, hint })];
  });
}

/** True if a payload of the event has the field, by hookctl's name or by one of the dialect. */
function hasField(named: NamedEvent, field: string): boolean {
  const { extraFields, sample } = DIALECTS[named.dialect];
  return [...matchableFields(named.event), ...Object.keys({ ...extraFields, ...sample })].some(
    (known) => known === field || known === canonicalField(named, field),
  );
}

/** A tool of an MCP server or a plugin may have any name that is not similar to a known one. */
function matchesNoTool(hook: Hook, agents: readonly KnownTools[]): readonly ProjectFault[] {
  if (unmatchedAgents(hook, agents).length < agents.length) return [];
  const { name, path, match } = hook;
  const near = [match?.tool_name ?? []].flat().flatMap((pattern) => nearest(pattern, KNOWN_NAMES) ?? []);
  const message = `${name} never matches a tool of any agent`;
  return [
    fault({
      name,
      path,
      message,
      hint: near[0] === undefined ? "Names of tools: docs/events.md#tools" : `Did you mean ${near[0]}?`,
    }),
  ];
}

function onlyObserves({ name, file, observe }: EffectiveGuard): readonly ProjectFault[] {
  if (!observe) return [];
  const message = `${name} only records what it would stop (observe: true)`;
  return [{ ...fault({ name, path: file, message, hint: "" }), isNote: true }];
}

function guardsNothing({ name, file, paths }: EffectiveGuard): readonly ProjectFault[] {
  if (name !== "protected-paths" || paths.length > 0) return [];
  const message = `${name} guards nothing: it has no \`paths\``;
  return [fault({ name, path: file, message, hint: 'Name files: "paths": ["infra/**"]' })];
}
