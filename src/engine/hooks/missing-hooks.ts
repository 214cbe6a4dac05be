import { overrideAboveProjects } from "../../config/overrides.ts";
import { CANNOT_RUN, type FoundCandidates } from "../../discover/find-candidates.ts";
import type { IdentifyResult } from "../../discover/identify.ts";
import type { IdentityCache } from "../../discover/identity-cache.ts";
import { mayBeFailClosed, mentionedEvents } from "../../discover/mentioned-events.ts";
import { readIdentity } from "../../discover/read-identity.ts";
import { isInside, isSurelyMissing } from "../../fs/paths.ts";
import { firstBytes } from "../../fs/read-file.ts";
import type { Approval, Approvals } from "../../protocol/approval.ts";
import type { EventName } from "../../protocol/event.ts";
import {
  type Candidate,
  type Hook,
  type HookLoss,
  type Identity,
  isFromProject,
  RANK,
  SKIP_REASONS,
  type SkippedFile,
  UNKNOWN_STAMP,
} from "../../protocol/hook.ts";
import type { HookProblem } from "../../protocol/problem.ts";
import { explain } from "../../protocol/problem-messages/explain.ts";
import { quoteHookName, shellQuote } from "../../protocol/text/shell-quote.ts";
import type { Warning } from "../../protocol/warning.ts";
import { isDenied, isSettingsApproval } from "../../trust/decide/approval-key.ts";
import { changedProblem } from "../../trust/decide/decide-trust.ts";
import { type KnownHook, type KnownHooks, recordKnownHooks } from "../../trust/store/known-hooks.ts";
import type { RunContext } from "../run-context.ts";
import { resolveHook } from "./resolve-hook.ts";
import { placeholderHook } from "./select-hooks.ts";

/**
 * Hooks that were approved in this project and were deleted, renamed to `.disable` or made not executable. A fail-closed
 * guard keeps its position in the chain as changed, so that nobody disables it by moving its file. Any other causes a
 * warning in a run and a row in a list. `.disable` is no exception: whoever can write in the project can rename a file,
 * and only `untrust` shows that a person meant it.
 */
export function missingApprovedHooks(
  candidates: readonly Candidate[],
  skipped: readonly SkippedFile[],
  approvals: Approvals,
  context: RunContext,
  event: EventName | null,
): readonly Hook[] {
  if (context.options.hooksDirs.length > 0) return [];
  // By its own path: another link to the same program does not replace it.
  const present = new Set(candidates.map(({ path }) => path));
  const skips = byPath(skipped);
  return Object.values(approvals.approved)
    .filter((approval) => isOfProject(approval, context) && !present.has(approval.path))
    .filter(
      (approval) => approval.source !== "explicit" && !isSettingsApproval(approval) && !isDenied(approval, approvals),
    )
    .map((approval) => missingHook(approval, missingCause(approval, skips), context, event))
    .filter(({ state }) => state !== "disabled");
}

/** Includes folders whose `.kodelet` was deleted, and folders above a nested repository. */
const isOfProject = ({ project }: Approval, { scopes }: RunContext): boolean => scopes.folders.includes(project);

type SkippedByPath = ReadonlyMap<string, SkippedFile>;

const byPath = (skipped: readonly SkippedFile[]): SkippedByPath =>
  new Map(skipped.toReversed().map((skip) => [skip.path, skip]));

function missingCause({ path }: Approval, skips: SkippedByPath): string {
  const skip = skips.get(path) ?? skips.get(disabledPath(path));
  return skip === undefined ? "it does not exist" : skip.detail;
}

const disabledPath = (path: string): string => `${path}.disable`;

function missingHook(approval: Approval, cause: string, context: RunContext, event: EventName | null): Hook {
  const { name, path, realPath, source, project: projectDir } = approval;
  const stamp = { ...UNKNOWN_STAMP, mode: approval.mode, owner: approval.owner, group: -1 };
  const candidate: Candidate = { name, path, realPath, source, projectDir, rank: RANK.missing, stamp, entry: null };
  const hook = resolveHook({
    candidate,
    status: { trust: "changed", problem: changedProblem(candidate, [cause]), approval },
    identity: approval.said === null ? null : readIdentity(candidate, approval.said),
    hash: approval.sha256,
    mentionedEvents: [],
    isUnidentifiedGuard: false,
    event,
    settings: context.settings,
  });
  return { ...hook, lost: { cause, fix: fixForLost(hook, true) } };
}

/** What earlier calls recorded about the user's hooks. */
export interface EarlierAnswers {
  readonly known: KnownHooks;
  readonly cache: IdentityCache;
  readonly approvals: Approvals;
}

/** A hook that cannot be started now, with the identity that it declared before. */
interface LostFile {
  readonly name: string;
  readonly path: string;
  readonly cause: string;
  readonly declared: Identity | null;
}

/**
 * The user's own hooks that were deleted or cannot be started now, known by an earlier answer or by their text. Whoever
 * moved them or removed the execute bit may not have meant to disable a guard.
 */
export function lostUserHooks(
  { candidates, skipped }: FoundCandidates,
  context: RunContext,
  before: EarlierAnswers,
): readonly Hook[] {
  const isUsers = userHookTest(context);
  const unable = skipped.filter(({ path, reason }) => CANNOT_RUN.has(reason) && isUsers(path));
  const seen = new Set([...candidates, ...unable].map(({ path }) => path));
  const skips = byPath(skipped);
  const gone = [...before.known].flatMap(([path, { name }]): (SkippedFile | Missing)[] => {
    if (seen.has(path) || !isUsers(path) || skips.has(disabledPath(path))) return [];
    const skip = skips.get(path);
    // Unreadable files are in the chain already.
    if (skip !== undefined) return skip.reason === "unreadable" ? [] : [skip];
    return isSurelyMissing(path) ? [{ name, path, detail: "it does not exist" }] : [];
  });
  return [...unable, ...gone]
    .filter(({ path }) => !isDenied({ path, realPath: path }, before.approvals))
    .flatMap(({ name, path, detail: cause }) =>
      lostHook({ name, path, cause, declared: lastIdentity({ name, path }, before) }, context),
    );
}

type Missing = Pick<SkippedFile, "name" | "path" | "detail">;

/** Returns a test for the user's own hooks; false for all in a call that does not look for them. */
function userHookTest({ scopes, options }: RunContext): (path: string) => boolean {
  const { homeDir } = scopes;
  return (path) => homeDir !== null && options.hooksDirs.length === 0 && isInside(`${homeDir}/.kodelet`, path);
}

/** Null if the hook never answered. The record outlives the cache. */
export function lastIdentity(at: Pick<Candidate, "name" | "path">, { known, cache }: EarlierAnswers): Identity | null {
  const answer = known.get(at.path)?.said ?? cache.lastAnswer(at.path);
  const identity = answer === null ? null : readIdentity(at, answer);
  return identity?.ok ? identity.value : null;
}

function lostHook({ name, path, cause, declared }: LostFile, { settings }: RunContext): readonly Hook[] {
  const events = declared?.events ?? (isScript(path) ? mentionedEvents(path) : []);
  if (events.length === 0) return [];
  const { fail_open, required, enabled } = overrideAboveProjects({ name, source: "user" }, settings);
  const isClosed =
    required === true || !(fail_open ?? declared?.failOpen ?? (declared !== null || !mayBeFailClosed(path)));
  const repair = cause === SKIP_REASONS.not_executable ? `To enable it: chmod +x ${shellQuote(path)}. ` : "";
  return [
    placeholderHook(
      {
        ...{ name, path, source: "user", trust: "trusted", events, failOpen: !isClosed },
        disabledReason: settings.user.isEnabled && enabled !== false ? null : "switched off in the settings",
        match: declared?.match ?? null,
        lost: { cause, fix: repair + fixForLost({ name, path }, isSurelyMissing(path)) },
      },
      { code: "HOOK_NOT_STARTED", hook: name, path, cause },
    ),
  ];
}

/** Markdown files mention events, too. */
const isScript = (path: string): boolean => !path.endsWith(".md") && (firstBytes(path, 2)?.startsWith("#!") ?? false);

/** How a person confirms that a hook was removed on purpose: by forgetting it, or by renaming the file. */
const fixForLost = ({ name, path }: Pick<Hook, "name" | "path">, isForgotten: boolean): string =>
  isForgotten
    ? `If this is intended: hookctl untrust ${quoteHookName(name)}`
    : `If this is intended: mv ${shellQuote(path)} ${shellQuote(`${path}.disable`)}`;

/** A hook that exists and may run, but does not answer: it keeps the events that it declared before. */
export function asLost(hook: Hook, fault: HookProblem): Hook {
  if (fault.code === "HOOK_INTERRUPTED") return hook;
  const cause = "cause" in fault ? fault.cause : explain(fault).summary;
  const lost: HookLoss = { cause, fix: `Repair it. ${fixForLost(hook, isFromProject(hook))}` };
  return { ...hook, lost };
}

/** List rows for the user's own hooks that were renamed to `.disable`. */
export function switchedOffByName(
  { skipped }: FoundCandidates,
  context: RunContext,
  before: EarlierAnswers,
): readonly Hook[] {
  const isUsers = userHookTest(context);
  const skips = byPath(skipped);
  return [...before.known].flatMap(([path, { name }]) => {
    if (!isUsers(path) || !skips.has(disabledPath(path))) return [];
    const declared = lastIdentity({ name, path }, before);
    const isRequired = overrideAboveProjects({ name, source: "user" }, context.settings).required === true;
    if (declared === null || isRequired) return [];
    const { events, match } = declared;
    const off = SKIP_REASONS.disabled;
    const known = {
      name,
      source: "user",
      trust: "trusted",
      events,
      match,
      failOpen: declared.failOpen ?? true,
    } as const;
    // Listed with the path of the renamed file.
    return [placeholderHook({ ...known, path: disabledPath(path), disabledReason: off }, null)];
  });
}

/** In a run only fail-closed guards are in the chain; the others cause a warning at the events that they declared. */
export function onlyLostGuards(
  lost: readonly Hook[],
  event: EventName | null,
): { readonly hooks: readonly Hook[]; readonly warnings: readonly Warning[] } {
  if (event === null) return { hooks: lost, warnings: [] };
  return {
    hooks: lost.filter(({ failOpen }) => !failOpen),
    // For an approved hook the block message already says what to do.
    warnings: lostWarnings(
      lost.filter(({ failOpen, source }) => failOpen || source === "user"),
      event,
    ),
  };
}

export const lostWarnings = (hooks: readonly Hook[], event: EventName | null): readonly Warning[] =>
  hooks
    .filter(
      ({ disabledReason, events }) =>
        disabledReason === null && event !== null && (events.length === 0 || events.includes(event)),
    )
    .flatMap(({ name, path, lost }) =>
      lost === undefined ? [] : [{ code: "HOOK_LOST" as const, hook: name, path, ...lost }],
    );

/** Records the answers of the user's own hooks, so that a hook that is lost later is still known. */
export function recordAnswers(
  identities: ReadonlyMap<Candidate, IdentifyResult>,
  known: KnownHooks,
  context: RunContext,
): void {
  const isUsers = userHookTest(context);
  const now = [...identities].flatMap(([candidate, { identity, answer }]): [string, KnownHook][] => {
    const { name, path, entry } = candidate;
    if (entry !== null || isFromProject(candidate) || !isUsers(path) || !identity.ok || answer === null) return [];
    return [[path, { name, said: answer }]];
  });
  recordKnownHooks(new Map(now), known, context);
}
