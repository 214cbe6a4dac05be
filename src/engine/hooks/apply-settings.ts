import type { Settings } from "../../config/merge-settings.ts";
import { type HookOverrides, isClosed, overridesFor } from "../../config/overrides.ts";
import { type LocatedEntry, schemeRow } from "../../protocol/entry.ts";
import { EVENT_ROWS, type EventName } from "../../protocol/event.ts";
import { type EffectiveGuard, GUARD_EVENTS } from "../../protocol/guard-settings.ts";
import {
  type Candidate,
  DEFAULT_PRIORITY,
  type Hook,
  type Identity,
  makeHook,
  RANK,
  UNKNOWN_STAMP,
} from "../../protocol/hook.ts";
import type { HookProblem } from "../../protocol/problem.ts";
import { ok, type Result } from "../../protocol/result.ts";
import type { HookSandbox } from "../../protocol/sandbox.ts";
import type { Override } from "../../protocol/setting-rows.ts";
import type { TrustStatus } from "../../trust/decide/decide-trust.ts";

interface SettingsInput {
  readonly candidate: Candidate;
  readonly status: TrustStatus;
  /** Null: it was not identified. */
  readonly identity: Result<Identity, HookProblem> | null;
  readonly hash: string | null;
  readonly mentionedEvents: readonly EventName[];
  /** It could not be identified and may be a fail-closed guard. */
  readonly isUnidentifiedGuard: boolean;
  /** The event of this call, for timeouts that belong to an event. */
  readonly event: EventName | null;
  /** Absent or null: its settings want none. */
  readonly sandbox?: HookSandbox | null;
  readonly settings: Settings;
}

/** Joins the identity of a candidate, the settings and its trust status into a hook. */
export function applySettings(input: SettingsInput): Hook {
  const { candidate, status, identity, settings } = input;
  const overrides = overridesFor(candidate, settings);
  // The keys of an entry count only while it is approved; after a change the approved version counts.
  const isSilenced = isRefusedUnheard(input, overrides);
  const isOwnWord = !isSilenced && (status.problem === null || status.approval === null);
  // An override replaces single keys of an entry.
  const override = { ...(isOwnWord ? candidate.entry : null), ...overrides.override };
  const declared = identity?.ok ? identity.value : null;
  const observe = override.observe ?? declared?.observe ?? false;
  const failOpen = openness(override, overrides, input);
  const conflict = observe && !failOpen;
  return makeHook({
    name: candidate.name,
    ...(candidate.baseName === undefined ? {} : { baseName: candidate.baseName }),
    path: candidate.path,
    source: candidate.source,
    projectDir: candidate.projectDir,
    kind: candidate.entry === null ? "executable" : schemeRow(candidate.entry.scheme).kind,
    rank: candidate.rank,
    events: isSilenced ? [] : (declared?.events ?? []),
    mentionedEvents: isSilenced ? [] : input.mentionedEvents,
    dialect: (input.event === null ? undefined : declared?.dialects?.[input.event]) ?? declared?.dialect ?? "kodelet",
    ...(declared?.dialects === undefined ? {} : { dialects: declared.dialects }),
    priority: override.priority ?? declared?.priority ?? DEFAULT_PRIORITY,
    failOpen,
    observe: observe && failOpen,
    timeoutMs: limitOf(input, { ...overrides, override, declared }),
    match: override.match ?? declared?.match ?? null,
    outputLimit: override.output_limit ?? declared?.outputLimit ?? null,
    background: override.background ?? declared?.background ?? false,
    readsEnv: declared?.readsEnv ?? false,
    isWeakenedBySettings: isNarrowed(overrides.override, declared, candidate.entry),
    disabledReason: overrides.isEnabled && override.enabled !== false ? null : "switched off in the settings",
    trust: status.trust,
    ...(input.sandbox == null ? {} : { sandbox: input.sandbox }),
    refusal: status.problem ?? refusalOf(input, conflict),
    entry: candidate.entry,
    hash: input.hash,
    shadows: null,
  });
}

/** True if overrides make the hook run less often or block less than it declares. */
function isNarrowed(
  { match, observe, fail_open }: Override,
  declared: Identity | null,
  entry: LocatedEntry | null,
): boolean {
  const isOpened = fail_open === true && (entry?.fail_open ?? declared?.failOpen) === false;
  return match !== undefined || observe === true || isOpened;
}

/**
 * True if the user or the machine made a hook of this name fail-closed and the file was never approved. Then its own events do not
 * count: a clone could otherwise satisfy the requirement with a file that handles another event.
 */
const isRefusedUnheard = ({ status, event }: SettingsInput, { owner, above }: HookOverrides): boolean =>
  event !== null && status.problem !== null && status.approval === null && owner === "project" && isClosed(above);

/**
 * True if the hook fails open. `required` and `on_untrusted: fail` of the user make it fail-closed. One of the machine
 * that says nothing fails closed, because its user could make it fail: by a limit of memory or of processes.
 */
function openness(
  override: Override,
  { owner, above }: HookOverrides,
  { identity, status, settings, isUnidentifiedGuard }: SettingsInput,
): boolean {
  if (override.required === true) return false;
  if (status.trust === "denied") return true;
  // Only the user's settings decide for a hook that is not approved.
  if (status.trust === "untrusted") return above.fail_open !== false && settings.onUntrusted !== "fail";
  const declared = identity?.ok ? identity.value : null;
  const isUsuallyOpen = owner === "machine" ? (override.observe ?? declared?.observe ?? false) : !isUnidentifiedGuard;
  return override.fail_open ?? declared?.failOpen ?? isUsuallyOpen;
}

function refusalOf({ candidate, identity }: SettingsInput, conflict: boolean): HookProblem | null {
  if (identity !== null && !identity.ok) return identity.error;
  const detail = "it would be an observer that blocks on failure, and an observer cannot decide";
  return conflict ? { code: "HOOK_BAD_ANSWER", hook: candidate.name, path: candidate.path, detail } : null;
}

/** The sources of a hook's timeout. */
interface TimeoutSources extends Pick<HookOverrides, "owner" | "scope" | "override"> {
  readonly declared: Identity | null;
}

/**
 * The first that is set: the option, the override, the hook, the settings of the event, the settings of all hooks. The
 * option is the user's, so it does not count for the machine's hooks.
 */
function limitOf({ event, settings }: SettingsInput, { owner, override, declared, scope }: TimeoutSources): number {
  const forEvent = event === null ? undefined : scope.eventTimeoutsMs[event];
  const forcedMs = owner === "machine" ? null : settings.forcedTimeoutMs;
  return forcedMs ?? override.timeout ?? declared?.timeoutMs ?? forEvent ?? scope.timeoutMs;
}

/** After every other hook, so that a guard judges what will be executed. */
const GUARD_PRIORITY = 1_000;

/** The built-in guards that are on, as hooks. They are part of hookctl and need no approval. */
export const guardHooks = (settings: Settings, event: EventName | null): readonly Hook[] =>
  settings.guards.map((guard, at) => guardHook(guard, at, settings, event));

function guardHook(guard: EffectiveGuard, at: number, settings: Settings, event: EventName | null): Hook {
  const { name, file, source, observe } = guard;
  const path = `${file}#guards.${name}`;
  const candidate: Candidate = {
    name,
    path,
    realPath: path,
    source,
    rank: RANK.guard + at,
    projectDir: null,
    stamp: UNKNOWN_STAMP,
    entry: null,
  };
  const hook = applySettings({
    candidate,
    status: { trust: "trusted", problem: null, approval: null },
    identity: ok({
      events: GUARD_EVENTS[name],
      dialect: "kodelet",
      priority: GUARD_PRIORITY,
      failOpen: observe,
      observe,
      timeoutMs: null,
      match: null,
      outputLimit: null,
      background: false,
      readsEnv: false,
      files: [],
    }),
    hash: null,
    mentionedEvents: [],
    isUnidentifiedGuard: false,
    event,
    settings,
  });
  return { ...hook, kind: "guard" };
}

export const canBlockAt = (event: EventName | null): boolean => event !== null && EVENT_ROWS[event].onBlock === "deny";
