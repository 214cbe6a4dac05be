import { findCertainSkip } from "../../chain/order.ts";
import { unmatchedOverrides } from "../../config/overrides.ts";
import type { FoundCandidates } from "../../discover/find-candidates.ts";
import type { InTurn } from "../../discover/identify.ts";
import { type IdentityCache, NO_IDENTITY_CACHE, openIdentityCache, splitCache } from "../../discover/identity-cache.ts";
import { NO_APPROVALS } from "../../protocol/approval.ts";
import type { EventName } from "../../protocol/event.ts";
import { appliesTo, type Hook, isFromProject, isRefused, type SkippedFile } from "../../protocol/hook.ts";
import { isFailedToolCall, type Payload } from "../../protocol/payload/payload.ts";
import type { HookProblem } from "../../protocol/problem.ts";
import { explain } from "../../protocol/problem-messages/explain.ts";
import { listNames } from "../../protocol/text/text.ts";
import type { Warning } from "../../protocol/warning.ts";
import type { CandidateStatus } from "../../trust/decide/decide-trust.ts";
import { readKnownHooks } from "../../trust/store/known-hooks.ts";
import { approvalChecksFor, hookEnvironments } from "../hook-environment.ts";
import type { RunContext } from "../run-context.ts";
import { trustStatuses } from "../trust-statuses.ts";
import type { UnmatchedHook } from "./concerned-hooks.ts";
import { hooksInOrder } from "./hooks-as-resolved.ts";
import { identifyHooks, type JoinContext, joinHook } from "./join-hook.ts";
import {
  type EarlierAnswers,
  lostUserHooks,
  lostWarnings,
  missingApprovedHooks,
  onlyLostGuards,
  recordAnswers,
  switchedOffByName,
} from "./missing-hooks.ts";
import { type PausedHook, pausedWarnings, skipWarnings } from "./paused-hooks.ts";
import { canBlockAt, guardHooks, unreadableFiles, unreadableFolders } from "./resolve-hook.ts";
import { openSandboxes } from "./sandboxes.ts";
import { addMissingRequired, hideShadowed, placeholderHook, selectHooks } from "./select-hooks.ts";

/** The hooks of one call, and what was found beside them. */
export interface HookSet {
  readonly hooks: readonly Hook[];
  readonly skipped: readonly SkippedFile[];
  readonly searched: readonly string[];
  readonly warnings: readonly Warning[];
  /** For the user alone; not part of the protocol's response. */
  readonly notices: readonly Warning[];
  /** Hooks that are off for a while, for whatever event. */
  readonly paused: readonly PausedHook[];
  /** The names of all hooks, before `--hook` and `--skip`. */
  readonly names: readonly string[];
  /** How long resolving took; a hook that hangs while it declares its event hangs here. */
  readonly resolveMs: number;
  /** Called right before each start. Returns why an approved file is not the approved one any more, or null. */
  readonly recheckTrust: (hook: Pick<Hook, "name" | "path">) => HookProblem | null;
}

/** How hooks are resolved for somebody who uses each as soon as it is known. */
export interface ResolvingInTurn {
  readonly inTurn: InTurn;
  /**
   * Called with hooks in their order, until the first that others of its name may replace: the rest is known when all
   * are.
   */
  readonly onHook: (hook: Hook, recheckTrust: HookSet["recheckTrust"]) => void;
}

/** Decides the trust of each candidate, identifies the trusted ones and joins them with the settings. */
export const resolveHooks = (found: FoundCandidates, context: RunContext, event: EventName | null): Promise<HookSet> =>
  resolve(found, context, { event, resolving: null });

/** The same for all events, as a list has it. */
export const resolveInTurn = (
  found: FoundCandidates,
  context: RunContext,
  resolving: ResolvingInTurn,
): Promise<HookSet> => resolve(found, context, { event: null, resolving });

/** False if every hook is for another event, disabled or without a match. */
export function mayRunAny({ hooks }: HookSet, payload: Payload): boolean {
  if (isFailedToolCall(payload) && hooks.some(listensToErrors)) return true;
  return hooks.some((hook) => appliesTo(hook, payload.event) && findCertainSkip(hook, payload) === null);
}

/** The hooks that the payload's event would start, if their `match` did. */
export const unmatchedHooks = ({ hooks }: HookSet, payload: Payload): readonly UnmatchedHook[] =>
  hooks.flatMap((hook) => {
    const mismatch = appliesTo(hook, payload.event) ? findCertainSkip(hook, payload)?.mismatch : null;
    return mismatch == null ? [] : { ...hook, mismatch };
  });

const listensToErrors = ({ events, disabledReason }: Hook): boolean =>
  disabledReason === null && events.includes("on_error");

async function resolve(
  found: FoundCandidates,
  context: RunContext,
  { event, resolving }: { readonly event: EventName | null; readonly resolving: ResolvingInTurn | null },
): Promise<HookSet> {
  const startedMs = context.elapsedMs();
  // 1. May each candidate be started?
  const trust = await trustStatuses(found.candidates, context);
  const sandboxes = await openSandboxes(found.candidates, context, event);
  const statuses = withoutOriginals(
    found.candidates.map((candidate) => ({
      candidate,
      status: sandboxes.statusOf(candidate, trust.statusOf(candidate)),
    })),
  );

  // 2. Which events does it handle? Here a hook may be started.
  const cache = openCache(context);
  const approvals = trust.approvals.ok ? trust.approvals.value : NO_APPROVALS;
  const before: EarlierAnswers = { cache, approvals, known: readKnownHooks(context) };
  const environmentOf = hookEnvironments(context, await approvalChecksFor(found.candidates));
  const joining: JoinContext = { context, event, before, environmentOf, sandboxes };
  const early =
    resolving === null ? null : hooksInOrder(statuses, joining, (hook) => resolving.onHook(hook, trust.recheck));
  const identities = await identifyHooks(statuses, context, {
    ...{ cache, recheckTrust: trust.recheck, environmentOf },
    ...{ inTurn: resolving?.inTurn, onIdentified: early?.onIdentified },
  });

  // 3. Each candidate becomes a hook. A list shows unreadable files as skipped; in a run one of them may be a guard.
  const joined: readonly CandidateStatus[] =
    event === null ? statuses : [...statuses, ...unreadableFiles(found.unseen)];
  const hooks = joined.map(
    (one) => early?.known.get(one.candidate) ?? joinHook(one, identities.get(one.candidate), joining),
  );
  recordAnswers(identities, before.known, context);

  // 4. Guards that should be there and are not, functions, and the choice of the caller.
  const lost = onlyLostGuards(
    [
      ...missingApprovedHooks(found.candidates, found.skipped, approvals, context, event),
      ...lostUserHooks(found, context, before),
      ...(event === null ? switchedOffByName(found, context, before) : []),
    ],
    event,
  );
  const functions = [
    ...(context.functions?.hooksFor(event, context.settings) ?? []),
    ...guardHooks(context.settings, event),
  ];
  const hookSet = selectHookSet(found, { files: [...hooks, ...lost.hooks], functions, event }, context);
  const complete = [
    ...hookSet.hooks,
    ...unreadableFolders(found.unseen, event),
    ...lostUserGuards(context, event),
    ...lostMachineHooks(context, event),
  ];
  return {
    ...hookSet,
    hooks: context.options.isOff ? complete.filter(({ source }) => source === "machine") : complete,
    warnings: [
      ...hookSet.warnings,
      ...trust.warnings,
      ...lost.warnings,
      ...lostWarnings(failOpenHooks(hookSet.hooks), event),
    ],
    resolveMs: context.elapsedMs() - startedMs,
    recheckTrust: trust.recheck,
  };
}

/** In a worktree inside its main checkout, an approved copy runs in place of its original, not beside it. */
function withoutOriginals(statuses: readonly CandidateStatus[]): readonly CandidateStatus[] {
  const copied = new Set(
    statuses.flatMap(({ candidate, status: { approval, problem } }) =>
      problem === null && approval !== null && approval.path !== candidate.path ? [approval.path] : [],
    ),
  );
  return copied.size === 0 ? statuses : statuses.filter(({ candidate }) => !copied.has(candidate.path));
}

/** A placeholder that blocks if nobody can say what the administrator decided. */
function lostMachineHooks({ machine }: RunContext, event: EventName | null): readonly Hook[] {
  if (machine === null || machine.cause === null || !canBlockAt(event)) return [];
  const { path, cause } = machine;
  const hook = "machine hooks";
  return [
    placeholderHook(
      { name: hook, path, source: "machine", trust: "unsafe" },
      { code: "HOOK_REFUSED_MACHINE", hook, path, place: path, cause },
    ),
  ];
}

/** A placeholder that blocks if user settings with guards cannot be loaded. */
function lostUserGuards({ lostSettings }: RunContext, event: EventName | null): readonly Hook[] {
  if (lostSettings === null || lostSettings.isDeleted || !canBlockAt(event)) return [];
  const { place, cause, guards } = lostSettings;
  const known = { name: "user settings", path: place, source: "config", trust: "trusted" } as const;
  const hook = listNames(guards);
  return [
    placeholderHook(
      { ...known, priority: Number.MIN_SAFE_INTEGER },
      { code: "HOOK_REFUSED_SETTINGS", hook, path: place, place, cause },
    ),
  ];
}

/** A lost fail-closed hook needs no warning: its block reports it. */
const failOpenHooks = (hooks: readonly Hook[]): readonly Hook[] => hooks.filter(({ failOpen }) => failOpen);

/** The user could forge what their own cache says, so the machine's hooks have one that only root can write. */
function openCache({ options, cacheDir, machine, nowMs }: RunContext): IdentityCache {
  const open = (folder: string | null): IdentityCache =>
    folder === null || !options.useCache ? NO_IDENTITY_CACHE : openIdentityCache(`${folder}/identities.json`, nowMs);
  const own = open(cacheDir);
  return machine === null ? own : splitCache(own, open(machine.cacheDir));
}

/** The hooks before `--hook` and `--skip`. */
interface Unselected {
  readonly files: readonly Hook[];
  readonly functions: readonly Hook[];
  readonly event: EventName | null;
}

/** Applies shadowing, required hooks, `--hook` and `--skip`. */
function selectHookSet(
  found: FoundCandidates,
  { files, functions, event }: Unselected,
  context: RunContext,
): Omit<HookSet, "resolveMs" | "recheckTrust"> {
  const all = [...files, ...functions];
  const shadowing = hideShadowed(files, context.settings);
  // A function is never hidden: a project file must not replace what the program itself registered.
  const { hooks, paused } = selectHooks(
    addMissingRequired([...shadowing.hooks, ...functions], context.settings),
    context,
  );
  const trusted = context.options.isTrustedForOneCall ? hooks.filter(({ refusal }) => refusal === null) : [];
  const count = trusted.filter(isFromProject).length;
  const oneCall: readonly Warning[] = count > 0 ? [{ code: "TRUSTED_FOR_ONE_CALL", count }] : [];
  const names = all.map((hook) => hook.name);
  const withoutHome: readonly Warning[] =
    context.scopes.homeDir === null ? [{ code: "NO_HOME", home: context.env.HOME ?? "" }] : [];
  return {
    hooks,
    skipped: [...found.skipped, ...shadowing.skipped, ...hooks.flatMap(unidentifiedSkip)],
    searched: found.searched,
    warnings: [
      ...found.warnings,
      ...withoutHome,
      ...skipWarnings(all, context, event === null),
      ...pausedWarnings(paused, event),
      ...unmatchedOverrides(names, context.settings),
    ],
    notices: oneCall,
    paused,
    names,
  };
}

/** A list shows a file that may run but was not identified among the skipped ones. */
function unidentifiedSkip(hook: Hook): readonly SkippedFile[] {
  // A lost one has a row of its own.
  if (hook.refusal === null || isRefused(hook) || hook.lost !== undefined) return [];
  const { name, path, refusal } = hook;
  return refusal.code === "HOOK_BAD_FORMAT"
    ? [{ name, path, reason: "unknown_format", detail: refusal.cause }]
    : [{ name, path, reason: "not_identified", detail: explain(refusal).summary }];
}
