import { CANNOT_RUN, type FoundCandidates } from "../../discover/find-candidates.ts";
import { cannotMatch } from "../../engine/hooks/candidates.ts";
import type { HookSet } from "../../engine/hooks/resolve-hooks.ts";
import { unmatchedOverrides } from "../../engine/hooks/select-hooks.ts";
import type { RunContext } from "../../engine/run-context.ts";
import { GUARD_EVENTS } from "../../protocol/guard-settings.ts";
import { appliesTo } from "../../protocol/hook.ts";
import { isFailedToolCall } from "../../protocol/payload/payload.ts";
import { concernsGuards } from "../../protocol/payload/tool-call.ts";
import { hasKnownHooks } from "../../trust/store/known-hooks.ts";
import type { RunCall } from "./run-hooks.ts";

/**
 * Most calls of an agent concern no hook. They end as soon as that is certain, before the rest of the program is loaded.
 * A warning, a problem or another form of the output than the plain one always takes the whole way.
 */

/** True if the files that were found, unopened, show that no hook can run and that nothing has to be reported. */
export const noCandidateMatters = (found: FoundCandidates, call: RunCall): boolean =>
  hasNothingToReport(found.warnings, call) &&
  found.unseen.length === 0 &&
  !found.skipped.some(({ reason }) => CANNOT_RUN.has(reason)) &&
  found.candidates.every((candidate) => cannotMatch(candidate, call.payload, call.context.settings)) &&
  namesFitOptions(found, call.context) &&
  !mayConcernGuards(call) &&
  !mayMissHooks(call.context);

/** True if a built-in guard judges this call. */
const mayConcernGuards = ({ payload, context: { settings } }: RunCall): boolean =>
  settings.guards.some(({ name }) => GUARD_EVENTS[name].some((event) => event === payload.event)) &&
  concernsGuards(payload.event, payload.members);

/** True if every hook is for another event, disabled or without a match, and nothing has to be reported. */
export async function noHookMatters({ hooks, warnings, notices }: HookSet, call: RunCall): Promise<boolean> {
  // A pattern that no hook has is a mistake of the caller, which is reported later.
  if (call.options.only !== null || !hasNothingToReport([...warnings, ...notices], call)) return false;
  const { isSurelySkipped } = await import("../../chain/skip-reason.ts");
  const { payload } = call;
  if (isFailedToolCall(payload) && hooks.some(listensToErrors)) return false;
  return hooks.every((hook) => !appliesTo(hook, payload.event) || isSurelySkipped(hook, payload));
}

const listensToErrors = ({ events, disabledReason }: HookSet["hooks"][number]): boolean =>
  disabledReason === null && events.includes("on_error");

/** The plain output needs neither a run record nor a dialect. A required hook may be missing, which is reported. */
function hasNothingToReport(warnings: readonly unknown[], { options, context, loaded }: RunCall): boolean {
  const isPlain = !options.json && options.as === "kodelet";
  const hasWarnings = warnings.length + loaded.warnings.length > 0 || loaded.problem !== null;
  const { user, machine } = context.settings;
  const overrides = [user, machine].flatMap((scope) => Object.values(scope.overrides));
  const isRequired = overrides.some(({ required }) => required === true);
  return isPlain && !hasWarnings && !isRequired && context.scopes.homeDir !== null;
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
