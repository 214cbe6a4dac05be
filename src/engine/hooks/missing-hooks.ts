import type { HookSettings, Settings } from "../../config/merge-settings.ts";
import { overrideAboveProjects } from "../../config/overrides.ts";
import { CANNOT_RUN, type FoundCandidates, type UnreadablePlace } from "../../discover/find-candidates.ts";
import { mayBeFailClosed, mentionedEvents } from "../../discover/mentioned-events.ts";
import { readIdentity } from "../../discover/read-identity.ts";
import { MACHINE_FOLDER } from "../../fs/machine-folder.ts";
import { isSurelyMissing } from "../../fs/paths.ts";
import { firstBytes } from "../../fs/read-file.ts";
import type { Approval, Approvals } from "../../protocol/approval.ts";
import { EVENT_ROWS, type EventName } from "../../protocol/event.ts";
import {
  type Candidate,
  type Hook,
  hasUnknownEvents,
  type Identity,
  isFromProject,
  RANK,
  SKIP_REASONS,
  type SkippedFile,
  type Source,
  UNKNOWN_STAMP,
} from "../../protocol/hook.ts";
import type { HookProblem } from "../../protocol/problem.ts";
import { shellQuote } from "../../protocol/text/shell-quote.ts";
import { listNames } from "../../protocol/text/text.ts";
import type { Warning } from "../../protocol/warning.ts";
import { isDenied, isSettingsApproval } from "../../trust/decide/approval-key.ts";
import { type CandidateStatus, changedProblem } from "../../trust/decide/decide-trust.ts";
import type { RunContext } from "../run-context.ts";
import { applySettings, canBlockAt } from "./apply-settings.ts";
import { type EarlierAnswers, lastIdentity, userHookTest } from "./identify-hooks.ts";
import { fixForLost, placeholderHook } from "./lost-hook.ts";
import { plainName } from "./select-hooks.ts";

/** What earlier calls left behind, and the event of this call; null: a list of all. */
interface MissingInput {
  readonly before: EarlierAnswers;
  readonly event: EventName | null;
}

interface MissingHooks {
  readonly hooks: readonly Hook[];
  readonly warnings: readonly Warning[];
}

/**
 * The hooks that were there in earlier calls and are not now. In a run only fail-closed guards are in the chain; the others
 * cause a warning at the events that they declared.
 */
export function missingHooks(
  found: FoundCandidates,
  context: RunContext,
  { before, event }: MissingInput,
): MissingHooks {
  const lost = [
    ...missingApprovedHooks(found, before.approvals, context, event),
    ...lostUserHooks(found, context, before),
  ];
  if (event === null) return { hooks: [...lost, ...switchedOffByName(found, context, before)], warnings: [] };
  return {
    hooks: lost.filter(({ failOpen }) => !failOpen),
    // For an approved hook the block message already says what to do.
    warnings: lostWarnings(
      lost.filter(({ failOpen, source }) => failOpen || source === "user"),
      event,
    ),
  };
}

/** Placeholders that no option removes: each blocks, because the hooks that it stands for are not known. */
export const unselectableHooks = (
  unseen: readonly UnreadablePlace[],
  context: RunContext,
  event: EventName | null,
): readonly Hook[] =>
  canBlockAt(event) ? [...unreadableFolders(unseen), ...lostUserGuards(context), ...lostMachineHooks(context)] : [];

/**
 * Hooks that were approved in this project and were deleted, renamed to `.disable` or made not executable. A fail-closed
 * guard keeps its position in the chain as changed, so that nobody disables it by moving its file. Any other causes a
 * warning in a run and a row in a list. `.disable` is no exception: whoever can write in the project can rename a file,
 * and only `untrust` shows that a person wanted it.
 */
export function missingApprovedHooks(
  { candidates, skipped }: FoundCandidates,
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
  const fix = `${cause === SKIP_REASONS.not_executable ? enabling(path) : "Restore the file. "}${fixForLost(approval, true)}`;
  const hook = applySettings({
    candidate,
    status: { trust: "changed", problem: changedProblem(candidate, [cause], fix), approval },
    identity: approval.said === null ? null : readIdentity(candidate, approval.said),
    hash: approval.sha256,
    mentionedEvents: [],
    isUnidentifiedGuard: false,
    event,
    settings: context.settings,
  });
  return { ...hook, lost: { cause, fix } };
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
 * moved them or removed the execute bit may not have wanted to disable a guard.
 */
function lostUserHooks(
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

const enabling = (path: string): string => `To enable it: chmod +x ${shellQuote(path)}. `;

type Missing = Pick<SkippedFile, "name" | "path" | "detail">;

function lostHook({ name, path, cause, declared }: LostFile, { settings }: RunContext): readonly Hook[] {
  const events = declared?.events ?? (isScript(path) ? mentionedEvents(path) : []);
  if (events.length === 0) return [];
  const { fail_open, required, enabled } = overrideAboveProjects({ name, source: "user" }, settings);
  const isClosed =
    required === true || !(fail_open ?? declared?.failOpen ?? (declared !== null || !mayBeFailClosed(path)));
  const repair = cause === SKIP_REASONS.not_executable ? enabling(path) : "";
  return [
    placeholderHook(
      {
        name,
        path,
        source: "user",
        trust: "trusted",
        events,
        failOpen: !isClosed,
        disabledReason: settings.user.isEnabled && enabled !== false ? null : "disabled in the settings",
        match: declared?.match ?? null,
        lost: { cause, fix: repair + fixForLost({ name, path }, isSurelyMissing(path)) },
      },
      { code: "HOOK_NOT_STARTED", hook: name, path, cause },
    ),
  ];
}

/** Markdown files mention events, too. */
const isScript = (path: string): boolean => !path.endsWith(".md") && (firstBytes(path, 2)?.startsWith("#!") ?? false);

/** List rows for the user's own hooks that were renamed to `.disable`. */
function switchedOffByName({ skipped }: FoundCandidates, context: RunContext, before: EarlierAnswers): readonly Hook[] {
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

export const lostWarnings = (hooks: readonly Hook[], event: EventName | null): readonly Warning[] =>
  hooks
    .filter(
      ({ disabledReason, events }) =>
        disabledReason === null && event !== null && (events.length === 0 || events.includes(event)),
    )
    .flatMap(({ name, path, lost }) =>
      lost === undefined ? [] : [{ code: "HOOK_LOST" as const, hook: name, path, ...lost }],
    );

/**
 * The user's own files that cannot be read (EACCES). Any of them may be a guard, so at an event that can be blocked they
 * are in the chain and fail there. At other events, and in a project, they only cause a warning.
 */
export function unreadableFiles(unseen: readonly UnreadablePlace[]): readonly CandidateStatus[] {
  return unseen.flatMap((one): CandidateStatus[] => {
    const { name, path, source, rank } = one;
    if (name === null || isFromProject({ source, entry: null })) return [];
    const known = { name, path, realPath: path, source, projectDir: null, rank };
    const candidate = { ...known, stamp: UNKNOWN_STAMP, entry: null };
    return [{ candidate, status: { trust: "unsafe", problem: unreadableProblem(one, name), approval: null } }];
  });
}

/** Folders that cannot be read. They come first in the chain, because the priorities of their hooks are unknown. */
function unreadableFolders(unseen: readonly UnreadablePlace[]): readonly Hook[] {
  return unseen.flatMap((one): Hook[] => {
    const { name, path, source, rank } = one;
    if (name !== null || isFromProject({ source, entry: null })) return [];
    const known = { name: path, path, source, rank, trust: "unsafe", priority: Number.MIN_SAFE_INTEGER } as const;
    return [placeholderHook(known, unreadableProblem(one, path))];
  });
}

const unreadableProblem = ({ path, cause }: UnreadablePlace, hook: string): HookProblem => ({
  code: "HOOK_REFUSED_UNREADABLE",
  hook,
  path,
  place: path,
  cause,
});

/** A placeholder that blocks if nobody can say what the administrator decided. */
function lostMachineHooks({ machine }: RunContext): readonly Hook[] {
  if (machine === null || machine.cause === null) return [];
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
function lostUserGuards({ lostSettings }: RunContext): readonly Hook[] {
  if (lostSettings === null || lostSettings.isDeleted) return [];
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

/** Adds a failing placeholder for each required hook that is missing. What the machine requires, only the machine has. */
export function addMissingRequired(
  hooks: readonly Hook[],
  { machine, user }: Pick<Settings, "machine" | "user">,
): readonly Hook[] {
  const missingIn = ({ overrides }: HookSettings, isEnough: (hook: Hook) => boolean): readonly string[] =>
    Object.entries(overrides)
      .filter(([, override]) => override.required === true)
      .map(([name]) => name)
      .filter((name) => !hooks.some((hook) => (hook.name === name || plainName(hook) === name) && isEnough(hook)));
  return [
    ...hooks,
    ...missingIn(user, canSatisfy).map((name) => requiredHook(name, "~/.kodelet", "config")),
    ...missingIn(machine, (hook) => hook.source === "machine").map((name) =>
      requiredHook(name, MACHINE_FOLDER, "machine"),
    ),
  ];
}

/** A project hook that handles no event that can be blocked does not satisfy a requirement. */
const canSatisfy = (hook: Hook): boolean =>
  !isFromProject(hook) || hasUnknownEvents(hook) || hook.events.some((event) => EVENT_ROWS[event].onBlock === "deny");

function requiredHook(name: string, folder: string, source: Source): Hook {
  const path = `${folder}/hooks/${name}`;
  return placeholderHook({ name, path, source, trust: "trusted" }, { code: "HOOK_MISSING", hook: name, path });
}
