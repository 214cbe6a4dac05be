import { findCertainSkip } from "../../chain/order.ts";
import { unmatchedOverrides } from "../../config/overrides.ts";
import type { FoundCandidates } from "../../discover/find-candidates.ts";
import type { IdentifyContext, IdentifyResult, InTurn } from "../../discover/identify.ts";
import { type IdentityCache, NO_IDENTITY_CACHE, openIdentityCache, splitCache } from "../../discover/identity-cache.ts";
import { NO_APPROVALS } from "../../protocol/approval.ts";
import type { EventName } from "../../protocol/event.ts";
import {
  appliesTo,
  type Candidate,
  type Hook,
  isFromProject,
  isMachine,
  isRefused,
  type SkippedFile,
} from "../../protocol/hook.ts";
import { isFailedToolCall, type Payload } from "../../protocol/payload/payload.ts";
import type { HookProblem } from "../../protocol/problem.ts";
import { explain } from "../../protocol/problem-messages/explain.ts";
import type { Warning } from "../../protocol/warning.ts";
import type { CandidateStatus } from "../../trust/decide/decide-trust.ts";
import { readKnownHooks } from "../../trust/store/earlier-calls.ts";
import { approvalChecksFor, hookEnvironments } from "../hook-environment.ts";
import type { UnmatchedHook } from "../run/unmatched-run.ts";
import type { RunContext } from "../run-context.ts";
import { trustStatuses } from "../trust-statuses.ts";
import { guardHooks, type JoinContext, joinHook } from "./apply-settings.ts";
import { type EarlierAnswers, identifyHooks, recordAnswers } from "./identify-hooks.ts";
import { addMissingRequired, lostWarnings, missingHooks, unreadableFiles, unselectableHooks } from "./missing-hooks.ts";
import { openSandboxes, statusInSandbox } from "./sandboxes.ts";
import { hideShadowed, type PausedHook, pausedWarnings, plainName, selectHooks, skipWarnings } from "./select-hooks.ts";

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
   * Called with hooks in run order as soon as each is known, up to the first whose name another hook shares. Which of the
   * two counts is known only after all hooks were identified.
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

/** The pipeline: candidates -> trust -> identity -> settings -> missing hooks -> selection. */
async function resolve(
  found: FoundCandidates,
  context: RunContext,
  { event, resolving }: { readonly event: EventName | null; readonly resolving: ResolvingInTurn | null },
): Promise<HookSet> {
  const startedMs = context.elapsedMs();
  // 1. Trust: may each candidate be started?
  const trust = await trustStatuses(found.candidates, context);
  const sandboxes = await openSandboxes(found.candidates, context, event);
  const statuses = withoutOriginals(
    found.candidates.map((candidate) => ({
      candidate,
      status: statusInSandbox(trust.statusOf(candidate), sandboxes.get(candidate.path)),
    })),
  );

  // 2. Identity: which events does it handle? Here a hook may be started.
  const cache = openCache(context);
  const approvals = trust.approvals.ok ? trust.approvals.value : NO_APPROVALS;
  const before: EarlierAnswers = { cache, approvals, known: readKnownHooks(context) };
  const environmentOf = hookEnvironments(context, await approvalChecksFor(found.candidates));
  const joining: JoinContext = { context, event, before, environmentOf, sandboxes };
  const early =
    resolving === null ? null : hooksInOrder(statuses, joining, (hook) => resolving.onHook(hook, trust.recheck));
  const identities = await identifyHooks(statuses, context, {
    cache,
    recheckTrust: trust.recheck,
    environmentOf,
    inTurn: resolving?.inTurn,
    onIdentified: early?.onIdentified,
  });

  // 3. Settings: each candidate becomes a hook. A list shows unreadable files as skipped; in a run one may be a guard.
  const joined = event === null ? statuses : [...statuses, ...unreadableFiles(found.unseen)];
  const present = joined.map(
    (one) => early?.known.get(one.candidate) ?? joinHook(one, identities.get(one.candidate), joining),
  );
  recordAnswers(identities, before.known, context);

  // 4. Missing hooks: guards that were there before.
  const missing = missingHooks(found, context, { before, event });

  // 5. Selection: shadowing, required hooks, and the choice of the caller. A function is never hidden: a project file must
  // not replace what the program itself registered.
  const { settings, options } = context;
  const shadowing = hideShadowed([...present, ...missing.hooks], settings);
  const functions = [...(context.functions?.hooksFor(event, settings) ?? []), ...guardHooks(settings, event)];
  const selected = selectHooks(addMissingRequired([...shadowing.hooks, ...functions], settings), context);
  const { hooks, paused } = selected;
  const complete = [...hooks, ...unselectableHooks(found.unseen, context, event)];
  const all = [...present, ...missing.hooks, ...functions];
  const names = all.map(({ name }) => name);
  return {
    hooks: options.isOff ? complete.filter(isMachine) : complete,
    skipped: [...found.skipped, ...shadowing.skipped, ...hooks.flatMap(unidentifiedSkip)],
    searched: found.searched,
    warnings: [
      ...found.warnings,
      ...homeWarnings(context),
      ...skipWarnings(all, context, event === null),
      ...pausedWarnings(paused, event),
      ...unmatchedOverrides(names, settings),
      ...trust.warnings,
      ...missing.warnings,
      // A fail-closed hook that is lost needs no warning: its block reports it.
      ...lostWarnings(
        hooks.filter(({ failOpen }) => failOpen),
        event,
      ),
    ],
    notices: trustNotices(hooks, context),
    paused,
    names,
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

/** The user could forge what their own cache says, so the machine's hooks have one that only root can write. */
function openCache({ options, cacheDir, machine, nowMs }: RunContext): IdentityCache {
  const open = (folder: string | null): IdentityCache =>
    folder === null || !options.useCache ? NO_IDENTITY_CACHE : openIdentityCache(`${folder}/identities.json`, nowMs);
  const own = open(cacheDir);
  return machine === null ? own : splitCache(own, open(machine.cacheDir));
}

const homeWarnings = ({ scopes, env }: RunContext): readonly Warning[] =>
  scopes.homeDir === null ? [{ code: "NO_HOME", home: env.HOME ?? "" }] : [];

function trustNotices(hooks: readonly Hook[], { options }: RunContext): readonly Warning[] {
  if (!options.isTrustedForOneCall) return [];
  const count = hooks.filter((hook) => hook.refusal === null && isFromProject(hook)).length;
  return count > 0 ? [{ code: "TRUSTED_FOR_ONE_CALL", count }] : [];
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

export interface HooksInOrder {
  readonly known: ReadonlyMap<Candidate, Hook>;
  readonly onIdentified: NonNullable<IdentifyContext["onIdentified"]>;
}

/**
 * Calls `onHook` for each hook, in run order, as soon as it and every hook before it are identified, so that the first can
 * start early. Stops at the first name that two candidates share: `resolveHooks` decides between them when all are known.
 */
function hooksInOrder(
  judged: readonly CandidateStatus[],
  call: JoinContext,
  onHook: (hook: Hook) => void,
): HooksInOrder {
  const known = new Map<Candidate, Hook>();
  const identified = new Map<Candidate, IdentifyResult>();
  const names = judged.map(({ candidate }) => plainName(candidate));
  const indexOfLast = new Map(names.map((name, index) => [name, index]));
  const shared = new Set(names.filter((name, index) => indexOfLast.get(name) !== index));
  return {
    known,
    onIdentified: (candidate, result) => {
      identified.set(candidate, result);
      // `known` grows in order: its size is the index of the next hook.
      for (let one = judged[known.size]; one !== undefined; one = judged[known.size]) {
        const answer = identified.get(one.candidate);
        const isKnown = answer !== undefined || one.status.problem !== null;
        if (!isKnown || shared.has(plainName(one.candidate))) return;
        const hook = joinHook(one, answer, call);
        known.set(one.candidate, hook);
        for (const selected of selectHooks([hook], call.context).hooks) onHook(selected);
      }
    },
  };
}
