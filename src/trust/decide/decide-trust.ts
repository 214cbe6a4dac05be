import { isInside, realPathOrSame } from "../../fs/paths.ts";
import { type Approval, type Approvals, type Evidence, NO_APPROVALS } from "../../protocol/approval.ts";
import { type Candidate, DELETED_FILE_STAMP, needsApproval, ownerOf, type TrustState } from "../../protocol/hook.ts";
import type { HookProblem } from "../../protocol/problem.ts";
import { explain } from "../../protocol/problem-messages/explain.ts";
import type { Result } from "../../protocol/result.ts";
import { combineUnsafePaths, describeUnsafePaths } from "../../protocol/unsafe-path.ts";
import type { CompareContext, CompareWithApproval, Comparison } from "../evidence/evidence.ts";
import { approvalFor, inOtherCheckout, isDenied } from "./approval-key.ts";
import { type OwnershipCheck, ownershipAt, type UnsafePlace } from "./ownership.ts";

/** What the decision depends on besides the file itself. */
export interface TrustContext extends CompareContext {
  /** Null when there is no usable HOME. */
  readonly homeDir: string | null;
  /** `--trust` or an equivalent: project hooks are approved for this one call. */
  readonly isTrustedForOneCall: boolean;
  readonly checkOwnership: OwnershipCheck;
  /** The user's approvals and denials; the error says why an existing store cannot be used. */
  readonly approvals: Result<Approvals, string>;
  /** Null if no hook needs an approval. */
  readonly compare: CompareWithApproval | null;
  /** The folder of the main checkout for a folder of a linked worktree; called only when it matters. */
  readonly mainCheckoutOf: (projectDir: string) => string | null;
}

export interface TrustStatus {
  readonly trust: TrustState;
  /** Why the hook may not be started; null if it may. */
  readonly problem: HookProblem | null;
  /** The approval it has, or had before it changed. */
  readonly approval: Approval | null;
  /** The state that was compared with the approval and differs from it. */
  readonly changedTo?: Evidence | null;
}

export interface CandidateStatus {
  readonly candidate: Candidate;
  readonly status: TrustStatus;
}

/** Decides whether a file may run. Called before the hook is asked for its events, because that already runs it. */
export function decideTrust(candidate: Candidate, context: TrustContext): TrustStatus {
  // Root alone can change them, and the user's approvals and denials do not apply to them.
  const owner = ownerOf(candidate);
  const isAsked = needsApproval(candidate);
  if (owner === "machine") return { trust: "trusted", problem: null, approval: null };
  const at = { hook: candidate.name, path: candidate.path };
  const approvals = context.approvals.ok ? context.approvals.value : NO_APPROVALS;
  if (isDenied(candidate, approvals)) {
    return { trust: "denied", problem: { code: "HOOK_REFUSED_DENIED", ...at }, approval: null };
  }
  const fromProject = owner === "project";
  const approval = isAsked ? approvalFor(candidate, approvals) : null;
  const unsafe = unsafeProblem(candidate, context);
  if (unsafe !== null) return { trust: "unsafe", problem: unsafeOrChanged(unsafe, approval), approval };
  if (!isAsked) return { trust: "trusted", problem: null, approval: null };
  // Before `--trust`: a denial wins over it, and an unreadable store may hold one.
  if (!context.approvals.ok) {
    return {
      trust: "changed",
      problem: { code: "HOOK_REFUSED_STORE", ...at, cause: context.approvals.error },
      approval,
    };
  }
  if (context.isTrustedForOneCall && fromProject) return { trust: "trusted", problem: null, approval: null };
  if (approval !== null) return statusOfApproved(candidate, approval, context);
  const twin = approvalInMainCheckout(candidate, approvals, context);
  if (twin !== null) return { trust: "trusted", problem: null, approval: twin };
  return { trust: "untrusted", problem: { code: "HOOK_REFUSED_UNTRUSTED", ...at }, approval: null };
}

function statusOfApproved(candidate: Candidate, approval: Approval, context: TrustContext): TrustStatus {
  const { changes, now } = compare(candidate, approval, context);
  if (changes.length === 0) return { trust: "trusted", problem: null, approval };
  return { trust: "changed", problem: changedProblem(candidate, changes), approval, changedTo: now };
}

export const changedProblem = (
  { name, path }: Pick<Candidate, "name" | "path">,
  changes: readonly string[],
  fix?: string,
): HookProblem => ({ code: "HOOK_REFUSED_CHANGED", hook: name, path, changes, ...(fix === undefined ? {} : { fix }) });

/** Without its evidence a hook is treated as not approved. */
const compare = (candidate: Candidate, approval: Approval, context: TrustContext): Comparison =>
  context.compare?.(candidate, approval, context) ?? { changes: ["it could not be compared"], now: null };

/** In a linked worktree: the approval of the same hook in the main checkout, if nothing differs. */
function approvalInMainCheckout(candidate: Candidate, approvals: Approvals, context: TrustContext): Approval | null {
  const { source, path, projectDir } = candidate;
  if (projectDir === null || Object.keys(approvals.approved).length === 0) return null;
  const mainDir = context.mainCheckoutOf(projectDir);
  if (mainDir === null || !isInside(projectDir, path)) return null;
  const approval = approvalFor({ source, path: inOtherCheckout(path, projectDir, mainDir) }, approvals);
  if (approval === null || isDenied(approval, approvals)) return null;
  const here = { ...approval, realPath: inOtherCheckout(approval.realPath, mainDir, projectDir) };
  return compare(candidate, here, context).changes.length === 0 ? here : null;
}

/** An approved hook that others can now change is treated as changed, because a guard must not disappear; any other is refused. */
function unsafeOrChanged(unsafe: HookProblem, approval: Approval | null): HookProblem {
  if (approval === null) return unsafe;
  const cause =
    unsafe.code === "HOOK_REFUSED_UNSAFE" ? describeUnsafePaths(unsafe) : "it links to a file outside the project";
  return changedProblem({ name: unsafe.hook, path: unsafe.path }, [cause], explain(unsafe).hint);
}

/** Why a hook may not run, approved or not: others could change it, or it is a link out of the project. */
export function unsafeProblem(
  candidate: Candidate,
  context: Pick<TrustContext, "homeDir" | "checkOwnership">,
): HookProblem | null {
  if (candidate.stamp === DELETED_FILE_STAMP) return null;
  const fromProject = ownerOf(candidate) === "project";
  const at = { hook: candidate.name, path: candidate.path };
  if (fromProject && leavesProject(candidate)) {
    return { code: "HOOK_REFUSED_LINK", ...at, leadsTo: candidate.realPath };
  }
  const root = (fromProject ? candidate.projectDir : context.homeDir) ?? "/";
  const [first, ...rest] = unsafePlaces(candidate, root, context.checkOwnership);
  return first === undefined ? null : locationProblem([first, ...rest], at, fromProject);
}

type UnsafePlacesFound = readonly [UnsafePlace, ...(readonly UnsafePlace[])];

/** The user's own hooks may be guards: an unreadable folder is reported differently from one that others may write. */
function locationProblem(
  found: UnsafePlacesFound,
  at: { hook: string; path: string },
  fromProject: boolean,
): HookProblem {
  const [{ place, cause, unreadableBecause }] = found;
  return unreadableBecause === undefined || fromProject
    ? { code: "HOOK_REFUSED_UNSAFE", ...at, ...(combineUnsafePaths(found) ?? { place, cause }) }
    : { code: "HOOK_REFUSED_UNREADABLE", ...at, place, cause: unreadableBecause };
}

/** Checks the path to a link and the path to its target. */
function unsafePlaces(candidate: Candidate, root: string, walk: OwnershipCheck): readonly UnsafePlace[] {
  const { realPath, stamp, entry } = candidate;
  if (entry !== null) return [...walk(entry.file, stamp, root), ...unsafeServer(candidate, root, walk)];
  const { path } = candidate;
  const unsafe = [...walk(path, stamp, root), ...unsafeServer(candidate, root, walk)];
  return realPath === path ? unsafe : [...unsafe, ...walk(realPath, stamp, realPathOrSame(root))];
}

/** Whoever can write an `mcp.json` chooses what an entry of another file starts. */
function unsafeServer({ entry }: Candidate, root: string, walk: OwnershipCheck): readonly UnsafePlace[] {
  const file = entry?.scheme === "tool" ? entry.serverFile : undefined;
  return file === undefined ? [] : walk(file, ownershipAt(file), root);
}

/** A link in a `--hooks-dir` folder may lead anywhere, because that folder need not be in a project. */
const leavesProject = ({ source, projectDir, realPath }: Candidate): boolean =>
  source !== "explicit" && projectDir !== null && !isInside(realPathOrSame(projectDir), realPath);
