import { readIdentity } from "../../discover/read-identity.ts";
import type { Approval, Approvals } from "../../protocol/approval.ts";
import type { EventName } from "../../protocol/event.ts";
import { type Candidate, type Hook, RANK, type SkippedFile, UNKNOWN_STAMP } from "../../protocol/hook.ts";
import { isDenied, isSettingsApproval } from "../../trust/decide/approval-key.ts";
import { changedProblem } from "../../trust/decide/decide-trust.ts";
import type { RunContext } from "../run-context.ts";
import { fixForLost } from "./lost-user-hooks.ts";
import { resolveHook } from "./resolve-hook.ts";

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
  return Object.values(approvals.approved)
    .filter((approval) => isOfProject(approval, context) && !present.has(approval.path))
    .filter(
      (approval) => approval.source !== "explicit" && !isSettingsApproval(approval) && !isDenied(approval, approvals),
    )
    .map((approval) => missingHook(approval, missingCause(approval, skipped), context, event))
    .filter(({ state }) => state !== "disabled");
}

/** Includes folders whose `.kodelet` was deleted, and folders above a nested repository. */
const isOfProject = ({ project }: Approval, { scopes }: RunContext): boolean => scopes.folders.includes(project);

function missingCause({ path }: Approval, skipped: readonly SkippedFile[]): string {
  const skip = skipped.find((one) => one.path === path) ?? skipped.find((one) => one.path === `${path}.disable`);
  return skip === undefined ? "it does not exist" : skip.detail;
}

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
