import { readIdentity } from "../../discover/read-identity.ts";
import type { Approval, Approvals } from "../../protocol/approval.ts";
import type { EventName } from "../../protocol/event.ts";
import { type Candidate, type Hook, type SkippedFile, UNKNOWN_STAMP } from "../../protocol/hook.ts";
import { isDenied, isSettingsApproval } from "../../trust/decide/approval-key.ts";
import { changedProblem } from "../../trust/decide/decide-trust.ts";
import type { RunContext } from "../run-context.ts";
import { fixForLost } from "./lost-hooks.ts";
import { resolveHook } from "./resolve-hook.ts";

/** Behind all folders: its own place is gone with it. */
const LAST_FOLDER = Number.MAX_SAFE_INTEGER;

/**
 * Hooks that were approved in this project and are no longer there, are switched off by their name or lost their execute bit.
 * A closed one keeps its place in the chain as changed, because a guard must not vanish by being moved away (SPEC 4). Of any other
 * a run is told in a warning, and a list has its row. A name that ends in .disable is no exception: whoever may write in
 * the project can rename a file, and only `untrust` says that a person meant it.
 */
export function missingApprovedHooks(
  candidates: readonly Candidate[],
  skipped: readonly SkippedFile[],
  approvals: Approvals,
  context: RunContext,
  event: EventName | null,
): readonly Hook[] {
  if (context.options.hooksDirs.length > 0) return [];
  // By its own path: that another link leads to the same program does not bring it back.
  const present = new Set(candidates.map(({ path }) => path));
  return Object.values(approvals.approved)
    .filter((approval) => isOfProject(approval, context) && !present.has(approval.path))
    .filter(
      (approval) => approval.source !== "explicit" && !isSettingsApproval(approval) && !isDenied(approval, approvals),
    )
    .map((approval) => missingHook(approval, missingCause(approval, skipped), context, event))
    .filter(({ state }) => state !== "disabled");
}

/** Also of a folder that lost its `.kodelet`, and of one above a repository that was nested in it. */
const isOfProject = ({ project }: Approval, { scopes }: RunContext): boolean => scopes.folders.includes(project);

function missingCause({ path }: Approval, skipped: readonly SkippedFile[]): string {
  const skip = skipped.find((one) => one.path === path) ?? skipped.find((one) => one.path === `${path}.disable`);
  return skip === undefined ? "it does not exist" : skip.detail;
}

function missingHook(approval: Approval, cause: string, context: RunContext, event: EventName | null): Hook {
  const { name, path, realPath, source, project: projectDir } = approval;
  const stamp = { ...UNKNOWN_STAMP, mode: approval.mode, owner: approval.owner, group: -1 };
  const candidate: Candidate = { name, path, realPath, source, projectDir, rank: LAST_FOLDER, stamp, entry: null };
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
