import { overridesFor, unmatchedOverrides } from "../../config/overrides.ts";
import { CANNOT_RUN, type FoundCandidates } from "../../discover/find-candidates.ts";
import { GUARD_EVENTS } from "../../protocol/guard-settings.ts";
import type { Candidate } from "../../protocol/hook.ts";
import type { Payload } from "../../protocol/payload/payload.ts";
import { concernsGuards } from "../../protocol/payload/tool-call.ts";
import type { Warning } from "../../protocol/warning.ts";
import { hasKnownHooks } from "../../trust/store/known-hooks.ts";
import type { UnmatchedHook } from "../run/unmatched-run.ts";
import type { RunContext } from "../run-context.ts";
import type { EffectiveSettings } from "../settings/effective-settings.ts";
import { cannotMatch, mismatchOfEntry } from "./candidates.ts";
import { offReason } from "./paused-hooks.ts";

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
