import type { Settings } from "../../config/merge-settings.ts";
import { overrideAboveProjects } from "../../config/overrides.ts";
import { withDistinctNames } from "../../discover/distinct-names.ts";
import { declaredCandidates, type FoundCandidates, findCandidates } from "../../discover/find-candidates.ts";
import { mainCheckoutOf } from "../../fs/git.ts";
import { NO_APPROVALS } from "../../protocol/approval.ts";
import { findEvent } from "../../protocol/event.ts";
import type { Candidate } from "../../protocol/hook.ts";
import { mayMatch } from "../../protocol/match.ts";
import { isFailedToolCall, type Payload } from "../../protocol/payload/payload.ts";
import { approvalFor, inOtherCheckout } from "../../trust/decide/approval-key.ts";
import { memoize } from "../memoize.ts";
import { hookFolders, type RunContext } from "../run-context.ts";

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
export function cannotMatch(candidate: Candidate, payload: Payload, settings: Settings): boolean {
  const { entry } = candidate;
  if (entry === null || entry.scope === "project") return false;
  const match = overrideAboveProjects(candidate, settings).match ?? entry.match ?? null;
  const isRaised = entry.event === "on_error" && isFailedToolCall(payload);
  if (entry.event !== payload.event) return !isRaised;
  const dialect = findEvent(entry.on)?.dialect ?? "kodelet";
  return !isRaised && !mayMatch(match, payload.members, { event: entry.event, dialect });
}
