import type { Settings } from "../../config/merge-settings.ts";
import { type HookOverrides, isClosed, overridesFor } from "../../config/overrides.ts";
import type { IdentifyResult } from "../../discover/identify.ts";
import {
  declaresFailClosed,
  eventsMentionedIn,
  mayBeFailClosed,
  mentionedEvents,
} from "../../discover/mentioned-events.ts";
import { interpreterFault } from "../../process/outcome-problem.ts";
import { type LocatedEntry, schemeRow } from "../../protocol/entry.ts";
import { EVENT_ROWS, type EventName } from "../../protocol/event.ts";
import { type EffectiveGuard, GUARD_EVENTS } from "../../protocol/guard-settings.ts";
import {
  type Candidate,
  DEFAULT_PRIORITY,
  type Hook,
  type Identity,
  isFromProject,
  makeHook,
  ownerOf,
  RANK,
  UNKNOWN_STAMP,
  withRefusal,
} from "../../protocol/hook.ts";
import type { HookProblem } from "../../protocol/problem.ts";
import { ok, type Result } from "../../protocol/result.ts";
import type { HookSandbox } from "../../protocol/sandbox.ts";
import type { Override } from "../../protocol/setting-rows.ts";
import type { CandidateStatus, TrustStatus } from "../../trust/decide/decide-trust.ts";
import type { HookEnvironment } from "../hook-environment.ts";
import type { RunContext } from "../run-context.ts";
import { type EarlierAnswers, lastIdentity } from "./identify-hooks.ts";
import { asLost } from "./lost-hook.ts";
import type { Sandboxes } from "./sandboxes.ts";

interface SettingsInput {
  readonly candidate: Candidate;
  readonly status: TrustStatus;
  /** Null if the hook was not identified. */
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
  // The keys of an entry apply only while it is approved; after a change the approved version applies.
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
    disabledReason: overrides.isEnabled && override.enabled !== false ? null : "disabled in the settings",
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
 * apply: a clone could otherwise satisfy the requirement with a file that handles another event.
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
 * option is the user's, so it does not apply to the machine's hooks.
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

/** What the hooks of one call have in common. */
export interface JoinContext {
  readonly context: RunContext;
  readonly event: EventName | null;
  readonly before: EarlierAnswers;
  readonly environmentOf: HookEnvironment;
  readonly sandboxes: Sandboxes;
}

/** The hook that a candidate is: its declaration, settings and trust status joined. */
export function joinHook(
  { candidate, status }: CandidateStatus,
  identified: IdentifyResult | undefined,
  call: JoinContext,
): Hook {
  const { context, event, before } = call;
  const fault = faultOf(candidate, identified, call);
  const isNeeded = (status.problem !== null || fault !== null) && ownerOf(candidate) === "user";
  const own = isNeeded ? lastIdentity(candidate, before) : null;
  const now = identified?.identity ?? (status.problem !== null && own !== null ? ok(own) : null);
  const answer = identified?.answer ?? "";
  const isGuardByText =
    mayBeGuard(candidate, status, now) && (declaresFailClosed(answer) || mayBeFailClosed(candidate.path));
  const mentioned = now?.ok && !isGuardByText ? [] : eventsMentionedBy(candidate, answer);
  const last = fault === null ? null : now?.ok ? now.value : own;
  const isUnknown = status.problem?.code === "HOOK_REFUSED_UNREADABLE" && now === null && canBlockAt(event);
  const hook = applySettings({
    candidate,
    status,
    identity: last === null ? now : ok(isGuardByText ? asClosed(last, mentioned) : last),
    hash: identified?.hash ?? null,
    mentionedEvents: now?.ok || last !== null ? [] : mentioned,
    isUnidentifiedGuard: isUnknown || isGuardByText,
    event,
    sandbox: call.sandboxes.get(candidate.path)?.sandbox ?? null,
    settings: context.settings,
  });
  if (fault === null || last === null) return hook;
  // A run starts a hook that declared its event before, and reports how that fails.
  const isTried = identified?.identity.ok === true && event !== null;
  return withRefusal(asLost(hook, fault), isTried ? hook.refusal : fault);
}

/** Why a trusted hook cannot run: it could not be identified, or its identity is cached and its interpreter is missing. */
function faultOf(
  candidate: Candidate,
  identified: IdentifyResult | undefined,
  { environmentOf, event }: JoinContext,
): HookProblem | null {
  if (identified === undefined || candidate.entry !== null) return null;
  if (!identified.identity.ok) return identified.identity.error;
  const { events } = identified.identity.value;
  // Its file is not opened for an event that it does not handle.
  if (event !== null && !events.includes(event) && !events.includes("on_error")) return null;
  const { name, path } = candidate;
  const cause = interpreterFault(path, () => environmentOf(candidate).PATH ?? "");
  return cause === null ? null : { code: "HOOK_NOT_STARTED", hook: name, path, cause };
}

/** The events that a hook may handle: those in its declaration, even an invalid one, else those in its text. */
function eventsMentionedBy({ path }: Candidate, answer: string): readonly EventName[] {
  const mentioned = eventsMentionedIn(answer);
  return mentioned.length > 0 ? mentioned : mentionedEvents(path);
}

/** A hook that declares itself fail-closed is so also for the events that its text mentions now. */
const asClosed = (last: Identity, mentioned: readonly EventName[]): Identity => ({
  ...last,
  events: [...new Set([...last.events, ...mentioned])],
  failOpen: false,
});

/** True if the text of a file may make it a guard: only if it may run or is the user's own, never for an unapproved project file. */
function mayBeGuard(
  candidate: Candidate,
  { problem }: TrustStatus,
  identity: Result<Identity, HookProblem> | null,
): boolean {
  if (candidate.entry !== null) return false;
  if (problem?.code === "HOOK_REFUSED_UNSAFE") return !isFromProject(candidate);
  return identity?.ok === false || problem?.code === "HOOK_REFUSED_SANDBOX";
}
