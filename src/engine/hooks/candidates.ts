import { resolve } from "node:path";
import type { Settings } from "../../config/merge-settings.ts";
import { overrideAboveProjects, overridesFor, unmatchedOverrides } from "../../config/overrides.ts";
import { declaredCandidates, withDistinctNames } from "../../discover/candidate-names.ts";
import {
  CANNOT_RUN,
  type FoundCandidates,
  findCandidates,
  type HookFolder,
  hookFoldersIn,
} from "../../discover/find-candidates.ts";
import { mainCheckoutOf } from "../../fs/git.ts";
import { NO_APPROVALS } from "../../protocol/approval.ts";
import { findEvent } from "../../protocol/event.ts";
import { GUARD_EVENTS } from "../../protocol/guard-settings.ts";
import type { Candidate } from "../../protocol/hook.ts";
import { certainMismatch, type Mismatch } from "../../protocol/match.ts";
import { isFailedToolCall, type Payload } from "../../protocol/payload/payload.ts";
import { concernsGuards } from "../../protocol/payload/tool-call.ts";
import type { Warning } from "../../protocol/warning.ts";
import { approvalFor, inOtherCheckout } from "../../trust/decide/approval-key.ts";
import { hasKnownHooks } from "../../trust/store/earlier-calls.ts";
import { memoize } from "../memoize.ts";
import type { UnmatchedHook } from "../run/unmatched-run.ts";
import type { MachineScope, RunContext } from "../run-context.ts";
import type { EffectiveSettings } from "../settings/effective-settings.ts";
import { offReason } from "./select-hooks.ts";

/** The folders of this call in their order: the project's, its outermost first, the user's, and the machine's. */
export function hookFolders(context: RunContext): readonly HookFolder[] {
  const { options, machine } = context;
  return [...(options.isOff ? [] : choosableFolders(context)), ...machineHookFolders(machine)];
}

/** The folders that an option can replace. */
function choosableFolders({ options, scopes }: RunContext): readonly HookFolder[] {
  if (options.hooksDirs.length > 0) {
    const { projectDir } = scopes;
    const explicit = { source: "explicit", projectDir, prefix: "" } as const;
    return options.hooksDirs.map((path) => ({ path: resolve(projectDir, path), ...explicit }));
  }
  const project = scopes.projectDirs.flatMap((folder) => hookFoldersIn("project", folder));
  return [...project, ...(scopes.homeDir === null ? [] : hookFoldersIn("user", scopes.homeDir))];
}

const machineHookFolders = (machine: MachineScope | null): readonly HookFolder[] =>
  machine === null || machine.cause !== null
    ? []
    : [{ path: `${machine.path}/hooks`, source: "machine", prefix: "", projectDir: null }];

/** The files of the hooks folders and the entries of the settings files, in their order. */
export function findAllCandidates(context: RunContext): FoundCandidates {
  const { scopes, settings } = context;
  const found = findCandidates(hookFolders(context));
  const declared = settings.declared.length === 0 ? [] : declaredCandidates(settings.declared);
  const candidates = [...found.candidates, ...declared];
  return { ...found, candidates: withDistinctNames(candidates, scopes.projectDirs, isApprovedIn(context)) };
}

/** True if a hook has an approval, its own or that of the main checkout. The store is read at the first question. */
function isApprovedIn({ trustStore }: RunContext): (candidate: Candidate) => boolean {
  const mainDirOf = memoize(mainCheckoutOf);
  const isApproved = (hook: Pick<Candidate, "source" | "path">): boolean => {
    const approvals = trustStore.approvals();
    return approvalFor(hook, approvals.ok ? approvals.value : NO_APPROVALS) !== null;
  };
  return (candidate) => {
    const { source, projectDir } = candidate;
    if (isApproved(candidate)) return true;
    const mainDir = projectDir === null ? null : mainDirOf(projectDir);
    const path = projectDir === null || mainDir === null ? null : inOtherCheckout(candidate.path, projectDir, mainDir);
    return path !== null && isApproved({ source, path });
  };
}

/**
 * True if a hook of the user's or the machine's settings cannot run for this payload, whatever its trust. Checked before the code that
 * decides trust is loaded, because loading it costs more than the rest of such a call.
 */
function cannotMatch(candidate: Candidate, payload: Payload, settings: Settings): boolean {
  const { entry } = candidate;
  if (entry === null || entry.scope === "project") return false;
  if (entry.event === "on_error" && isFailedToolCall(payload)) return false;
  return entry.event !== payload.event || mismatchOfEntry(candidate, payload, settings) !== null;
}

/** The condition of a declared hook that the payload does not meet for certain. */
function mismatchOfEntry(candidate: Candidate, payload: Payload, settings: Settings): Mismatch | null {
  const match = overrideAboveProjects(candidate, settings).match ?? candidate.entry?.match ?? null;
  const dialect = findEvent(candidate.entry?.on ?? "")?.dialect ?? "kodelet";
  return certainMismatch(match, payload.members, { event: payload.event, dialect });
}

/** A call before its hooks are known. */
export interface UnresolvedCall {
  readonly payload: Payload;
  readonly context: RunContext;
  readonly loaded: EffectiveSettings;
}

/**
 * True if the files that were found, unopened, show that no hook can run and that nothing has to be reported. Most calls
 * of an agent end here, before the rest of the program is loaded. A warning or a problem takes the whole way.
 */
export const concernsNoHook = (found: FoundCandidates, call: UnresolvedCall): boolean =>
  hasNothingToReport(found.warnings, call) &&
  found.unseen.length === 0 &&
  !found.skipped.some(({ reason }) => CANNOT_RUN.has(reason)) &&
  found.candidates.every((candidate) => cannotMatch(candidate, call.payload, call.context.settings)) &&
  namesFitOptions(found, call.context) &&
  !call.context.env.HOOKCTL_TRUST &&
  !mayConcernGuards(call) &&
  !mayMissHooks(call.context);

/** The unmatched hooks of a call that concerns no hook. */
export const unmatchedCandidates = (
  { candidates }: FoundCandidates,
  { payload, context }: UnresolvedCall,
): readonly UnmatchedHook[] =>
  candidates.flatMap((candidate) => {
    if (candidate.entry?.event !== payload.event || isDisabled(candidate, context)) return [];
    const mismatch = mismatchOfEntry(candidate, payload, context.settings);
    return mismatch === null ? [] : { ...candidate, mismatch };
  });

function isDisabled(candidate: Candidate, context: RunContext): boolean {
  const { isEnabled, override } = overridesFor(candidate, context.settings);
  return (
    !isEnabled || (override.enabled ?? candidate.entry?.enabled) === false || offReason(candidate, context) !== null
  );
}

/**
 * Records a call that no hook matched, so that a rule that never matches is seen. The code for it is loaded only if there
 * are such hooks and an audit log.
 */
export async function recordUnmatched(
  hooks: readonly UnmatchedHook[],
  call: Pick<UnresolvedCall, "payload" | "context">,
): Promise<readonly Warning[]> {
  const { context } = call;
  if (hooks.length === 0 || context.auditFile === null || context.settings.record === "off") return [];
  const { appendUnmatched } = await import("../run/unmatched-run.ts");
  return appendUnmatched(hooks, call);
}

/** True if a built-in guard judges this call. */
const mayConcernGuards = ({ payload, context: { settings } }: UnresolvedCall): boolean =>
  settings.guards.some(({ name }) => GUARD_EVENTS[name].some((event) => event === payload.event)) &&
  concernsGuards(payload.event, payload.members);

/** True without warnings and problems. A required hook may be missing, which is reported. */
export function hasNothingToReport(
  warnings: readonly unknown[],
  { context, loaded }: Omit<UnresolvedCall, "payload">,
): boolean {
  const hasWarnings = warnings.length + loaded.warnings.length > 0 || loaded.problem !== null;
  const { user, machine } = context.settings;
  const overrides = [user, machine].flatMap((scope) => Object.values(scope.overrides));
  const isRequired = overrides.some(({ required }) => required === true);
  return !hasWarnings && !isRequired && context.scopes.homeDir !== null;
}

/** Names in options and overrides are compared with the names of all hooks, which are not known yet. */
function namesFitOptions({ candidates }: FoundCandidates, { options, settings }: RunContext): boolean {
  const names = candidates.map(({ name }) => name);
  const isSelecting = names.length > 0 && (options.only !== null || options.skip.length > 0);
  return !isSelecting && unmatchedOverrides(names, settings).length === 0;
}

/**
 * True if hooks that ran or were approved before may be gone, because a guard must not disappear unnoticed. The store
 * is not parsed for that: an approval elsewhere must not cost a call without hooks.
 */
const mayMissHooks = ({ trustFile, trustStore, scopes }: RunContext): boolean =>
  hasKnownHooks(trustFile) ||
  ((trustFile !== null || scopes.homeDir !== null) && scopes.folders.some(trustStore.mayHaveApprovalsIn));
