import { isInside, realPathOrSame } from "../../fs/paths.ts";
import { type Approval, type Approvals, type Evidence, NO_APPROVALS } from "../../protocol/approval.ts";
import { type Candidate, DELETED_FILE_STAMP, type Source, type TrustState } from "../../protocol/hook.ts";
import type { HookProblem } from "../../protocol/problem.ts";
import type { Result } from "../../protocol/result.ts";
import { combineUnsafePaths, describeUnsafePaths } from "../../protocol/unsafe-path.ts";
import { compareEvidence, computeEvidence, EVIDENCE_INCOMPLETE } from "../evidence/evidence.ts";
import type { SupportsSafePath } from "../hook-files/loaded-files.ts";
import { approvalFor, inOtherCheckout, isDenied } from "./approval-key.ts";
import { type OwnershipCheck, ownershipAt, type UnsafePlace } from "./ownership.ts";

/** What the decision rests on besides the file itself. */
export interface TrustContext {
  /** Null when there is no usable HOME. */
  readonly homeDir: string | null;
  /** `--trust` and what equals it: this hook is approved for this one call. */
  readonly isTrustedForOneCall: boolean;
  readonly checkOwnership: OwnershipCheck;
  /** The user's approvals and denials; the fault says why the store that is there cannot be used. */
  readonly approvals: Result<Approvals, string>;
  /** Does the Python of a hook obey the variable that keeps it from loading what lies beside its script? */
  readonly supportsSafePath: SupportsSafePath;
  /** Where they are kept; null: nowhere. */
  readonly trustFile: string | null;
  /** The main checkout's folder for a project folder in a linked worktree of it; looked for only when it matters. */
  readonly mainCheckoutOf: (projectDir: string) => string | null;
}

export interface TrustStatus {
  readonly trust: TrustState;
  /** Why it may not be started; null when it may. */
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

const FROM_PROJECT: ReadonlySet<Source> = new Set(["project", "project-plugin", "explicit"]);

/** Was this source written by whoever wrote the project, and not by the user? */
export const isFromProject = ({ source, entry, settings }: Pick<Candidate, "source" | "entry" | "settings">): boolean =>
  FROM_PROJECT.has(source) || entry?.scope === "project" || settings !== undefined;

/** Does it run only when the user has approved it? */
export const needsApproval = (candidate: Pick<Candidate, "source" | "entry" | "settings">): boolean =>
  isFromProject(candidate) || candidate.entry?.isAsked === true;

/** May this very file run? Decided before it is asked for its event, because asking already runs it (SPEC 4). */
export function decideTrust(candidate: Candidate, context: TrustContext): TrustStatus {
  const at = { hook: candidate.name, path: candidate.path };
  const approvals = context.approvals.ok ? context.approvals.value : NO_APPROVALS;
  if (isDenied(candidate, approvals)) {
    return { trust: "denied", problem: { code: "HOOK_REFUSED_DENIED", ...at }, approval: null };
  }
  const fromProject = isFromProject(candidate);
  const isAsked = needsApproval(candidate);
  const approval = isAsked ? approvalFor(candidate, approvals) : null;
  const unsafe = unsafeProblem(candidate, fromProject, context);
  if (unsafe !== null) return { trust: "unsafe", problem: unsafeOrChanged(unsafe, approval), approval };
  if (!isAsked) return { trust: "trusted", problem: null, approval: null };
  // Before `--trust`: a denial wins over it, and nobody knows what was denied.
  if (!context.approvals.ok) {
    return {
      trust: "changed",
      problem: { code: "HOOK_REFUSED_STORE", ...at, cause: context.approvals.error },
      approval,
    };
  }
  if (context.isTrustedForOneCall) return { trust: "trusted", problem: null, approval: null };
  if (approval !== null) return statusOfApproved(candidate, approval, context);
  const twin = approvalInMainCheckout(candidate, approvals, context);
  if (twin !== null) return { trust: "trusted", problem: null, approval: twin };
  return { trust: "untrusted", problem: { code: "HOOK_REFUSED_UNTRUSTED", ...at }, approval: null };
}

function statusOfApproved(candidate: Candidate, approval: Approval, context: TrustContext): TrustStatus {
  const { changes, now } = compareWithApproval(candidate, approval, context);
  if (changes.length === 0) return { trust: "trusted", problem: null, approval };
  return { trust: "changed", problem: changedProblem(candidate, changes), approval, changedTo: now };
}

export const changedProblem = (
  { name, path }: Pick<Candidate, "name" | "path">,
  changes: readonly string[],
): HookProblem => ({
  code: "HOOK_REFUSED_CHANGED",
  hook: name,
  path,
  changes,
});

type CompareContext = Pick<TrustContext, "trustFile" | "supportsSafePath">;

/** What differs between the approved state and the current one. */
export const changesSinceApproval = (
  candidate: Candidate,
  approval: Approval,
  context: CompareContext,
): readonly string[] => compareWithApproval(candidate, approval, context).changes;

function compareWithApproval(
  candidate: Candidate,
  approval: Approval,
  { trustFile, supportsSafePath }: CompareContext,
): { readonly changes: readonly string[]; readonly now: Evidence | null } {
  const context = { before: approval, trustFile, supportsSafePath };
  const now = computeEvidence(candidate, context, Object.keys(approval.files));
  return { changes: now === null ? [EVIDENCE_INCOMPLETE] : compareEvidence(approval, now), now };
}

/** The approval of the same hook in the main checkout, when this is a worktree of it and nothing differs. */
function approvalInMainCheckout(candidate: Candidate, approvals: Approvals, context: TrustContext): Approval | null {
  const { source, path, projectDir } = candidate;
  if (projectDir === null || Object.keys(approvals.approved).length === 0) return null;
  const mainDir = context.mainCheckoutOf(projectDir);
  if (mainDir === null || !isInside(projectDir, path)) return null;
  const approval = approvalFor({ source, path: inOtherCheckout(path, projectDir, mainDir) }, approvals);
  if (approval === null || isDenied(approval, approvals)) return null;
  const here = { ...approval, realPath: inOtherCheckout(approval.realPath, mainDir, projectDir) };
  return changesSinceApproval(candidate, here, context).length === 0 ? here : null;
}

/** A hook that was approved and now lies unsafe is a guard that must not vanish; any other is only refused. */
function unsafeOrChanged(unsafe: HookProblem, approval: Approval | null): HookProblem {
  if (approval === null) return unsafe;
  const cause =
    unsafe.code === "HOOK_REFUSED_UNSAFE" ? describeUnsafePaths(unsafe) : "it links to a file outside the project";
  return changedProblem({ name: unsafe.hook, path: unsafe.path }, [cause]);
}

function unsafeProblem(candidate: Candidate, fromProject: boolean, context: TrustContext): HookProblem | null {
  if (candidate.stamp === DELETED_FILE_STAMP) return null;
  const at = { hook: candidate.name, path: candidate.path };
  if (fromProject && leavesProject(candidate)) {
    return { code: "HOOK_REFUSED_LINK", ...at, leadsTo: candidate.realPath };
  }
  const root = (fromProject ? candidate.projectDir : context.homeDir) ?? "/";
  const [first, ...rest] = unsafePlaces(candidate, root, context.checkOwnership);
  return first === undefined ? null : locationProblem([first, ...rest], at, fromProject);
}

type UnsafePlacesFound = readonly [UnsafePlace, ...(readonly UnsafePlace[])];

/** Of the user's own hooks one may be a guard: that we may not look is another thing than a place known to be unsafe. */
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

/** The way to the link and the way to the file it leads to are both walked. */
function unsafePlaces(candidate: Candidate, root: string, walk: OwnershipCheck): readonly UnsafePlace[] {
  const { realPath, stamp, entry } = candidate;
  if (entry !== null) return [...walk(entry.file, stamp, root), ...unsafeServer(candidate, root, walk)];
  const { path } = candidate;
  const unsafe = [...walk(path, stamp, root), ...unsafeServer(candidate, root, walk)];
  return realPath === path ? unsafe : [...unsafe, ...walk(realPath, stamp, realPathOrSame(root))];
}

/** Whoever may write an `mcp.json` may say what is started for an entry of another file. */
function unsafeServer({ entry }: Candidate, root: string, walk: OwnershipCheck): readonly UnsafePlace[] {
  const file = entry?.scheme === "tool" ? entry.serverFile : undefined;
  return file === undefined ? [] : walk(file, ownershipAt(file), root);
}

/** A link in an explicit folder (`--hooks-dir`) may lead anywhere: that folder need not lie in a project. */
const leavesProject = ({ source, projectDir, realPath }: Candidate): boolean =>
  source !== "explicit" && projectDir !== null && !isInside(realPathOrSame(projectDir), realPath);
