import { AGENTS } from "../agents/agents.ts";
import { DIALECTS } from "../dialects/dialects.ts";
import { canBlockAt } from "../engine/hooks/resolve-hook.ts";
import { canonicalField, type NamedEvent } from "../protocol/event.ts";
import type { EffectiveGuard } from "../protocol/guard-settings.ts";
import type { Hook } from "../protocol/hook.ts";
import { globMatches, isExclusion, matchableFields } from "../protocol/match.ts";
import { nearest } from "../protocol/text/nearest.ts";
import { listNames } from "../protocol/text/text.ts";
import { namesOfPortable, PORTABLE_TOOLS } from "../protocol/tools/vocabulary.ts";
import type { ProjectFault } from "./settings-faults.ts";

/** Guards that no call can trigger as they are declared and configured. */
export function inertGuards(hooks: readonly Hook[], guards: readonly EffectiveGuard[]): readonly ProjectFault[] {
  const on = hooks.filter(({ kind, disabledReason }) => kind !== "guard" && disabledReason === null);
  return [
    ...on.flatMap((hook) => [...closedInVain(hook), ...matchesNoField(hook), ...matchesNoTool(hook)]),
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

/** An unknown tool may belong to an MCP server, so only a name similar to a known tool is reported. */
function matchesNoTool({ name, path, match, events }: Hook): readonly ProjectFault[] {
  const patterns = [match?.tool_name ?? []].flat().filter((pattern) => !isExclusion(pattern));
  if (!events.some(canBlockAt) || patterns.some((pattern) => KNOWN_TOOLS.some((tool) => globMatches(pattern, tool))))
    return [];
  return patterns.slice(0, 1).flatMap((pattern): readonly ProjectFault[] => {
    const meant = pattern.length < 4 ? null : nearest(pattern, KNOWN_TOOLS);
    if (meant === null) return [];
    const message = `${name} runs only for the tool ${pattern}, which no agent has of its own. Did you mean ${meant}?`;
    return [{ ...fault({ name, path, message, hint: "" }), isNote: true }];
  });
}

const KNOWN_TOOLS: readonly string[] = [
  ...new Set([
    ...Object.keys(PORTABLE_TOOLS).flatMap(namesOfPortable),
    ...Object.values(AGENTS).flatMap(({ tools }) => Object.keys(tools.table)),
  ]),
];

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
