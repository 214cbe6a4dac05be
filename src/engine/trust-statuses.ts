import { basename } from "node:path";
import { projectFilesIn, userFileIn } from "../config/load-settings.ts";
import { classifyFile } from "../discover/classify.ts";
import { mainCheckoutOf } from "../fs/git.ts";
import { type Approval, type Approvals, NO_APPROVALS } from "../protocol/approval.ts";
import type { Candidate, Hook } from "../protocol/hook.ts";
import { SKIP_REASONS } from "../protocol/hook.ts";
import type { HookProblem, HostProblem } from "../protocol/problem.ts";
import { ok, type Result } from "../protocol/result.ts";
import { USER_SETTINGS_FILE } from "../protocol/settings.ts";
import type { Warning } from "../protocol/warning.ts";
import { byKey } from "../trust/decide/approval-key.ts";
import {
  changedProblem,
  decideTrust,
  isFromProject,
  needsApproval,
  type TrustContext,
  type TrustStatus,
} from "../trust/decide/decide-trust.ts";
import { createOwnershipCheck } from "../trust/decide/ownership.ts";
import { projectDigest } from "../trust/evidence/project-digest.ts";
import { openTrustStore } from "../trust/store/trust-store.ts";
import { sandboxMode } from "./hooks/resolve-hook.ts";
import { memoize } from "./lazy.ts";
import type { RunContext } from "./run-context.ts";
import { safePathSupport } from "./safe-path-support.ts";
import { settingsItem } from "./settings/project-settings.ts";

/** How the files of one call stand. */
export interface TrustStatuses {
  readonly statusOf: (candidate: Candidate) => TrustStatus;
  /** Right before a start: is an approved file still the one that was approved? Null: it may be started. */
  readonly recheck: (hook: Pick<Hook, "name" | "path">) => HookProblem | null;
  readonly approvals: Result<Approvals, string>;
  readonly warnings: readonly Warning[];
}

/** What trust and the settings say of each file, and whether its project's settings can be used at all. */
export function trustStatuses(candidates: readonly Candidate[], context: RunContext): TrustStatuses {
  const { scopes, settings, options, env } = context;
  const isProject = candidates.some(isFromProject);
  const items = [...candidates.filter(isFromProject), ...settingsCandidates(context)];
  const digestOf = () => projectDigest(items, scopes.projectDirs);
  const digest = isProject && env.HOOKCTL_TRUST ? digestOf() : null;
  const isByDigest = digest !== null && digest === env.HOOKCTL_TRUST;
  const isOther = isProject && env.HOOKCTL_TRUST !== undefined && env.HOOKCTL_TRUST !== "" && !isByDigest;
  const isTrustedForOneCall = options.isTrustedForOneCall || settings.projectHooks === "allow" || isByDigest;
  // Where there is no user, nobody has denied anything that a yes for one call could pass over.
  const isNobodys = scopes.homeDir === null && isTrustedForOneCall;
  // Read again: a denial counts from the next event on, also in a call that handles several.
  const approvals = withApprovedOnce(
    isNobodys ? ok(NO_APPROVALS) : openTrustStore(context).approvals(),
    options.approvedOnce,
  );
  const trustContext: TrustContext = {
    ...scopes,
    approvals,
    trustFile: context.trustFile,
    isTrustedForOneCall,
    checkOwnership: createOwnershipCheck(context.userId),
    mainCheckoutOf: memoize(mainCheckoutOf),
    supportsSafePath: safePathSupport(context),
  };
  const decided = new Map<string, { candidate: Candidate; status: TrustStatus }>();
  const statusOf = (candidate: Candidate): TrustStatus => {
    const status = withSandboxRefusal(candidate, decideTrust(candidate, contextFor(candidate, trustContext)), context);
    decided.set(candidate.path, { candidate, status });
    return status;
  };
  return {
    statusOf,
    recheck: ({ path }) => {
      const before = decided.get(path);
      if (before === undefined) return null;
      if (before.status.approval !== null) return recheckApproved(before.candidate, trustContext, context);
      const isCovered = isByDigest && isFromProject(before.candidate);
      return isCovered && digestOf() !== digest
        ? changedProblem(before.candidate, ["the digest of its project"])
        : null;
    },
    approvals,
    warnings: [...(isOther ? [DIGEST_DIFFERS] : []), ...storeWarnings(approvals, context)],
  };
}

const DIGEST_DIFFERS: Warning = { code: "TRUST_DIGEST_DIFFERS" };

/** That there is no HOME is told by itself. */
const storeWarnings = (approvals: Result<Approvals, string>, context: RunContext): readonly Warning[] =>
  approvals.ok || context.scopes.homeDir === null
    ? []
    : [{ code: "TRUST_STORE_UNUSABLE", path: storePath(context), cause: approvals.error }];

/** Where the store is, or would be if its place counted. */
const storePath = ({ trustFile, trustFileProblem }: RunContext): string => trustFile ?? trustFileProblem?.path ?? "";

export const storeNotReadable = (context: RunContext, cause: string): HostProblem => ({
  code: "TRUST_STORE_NOT_READ",
  path: storePath(context),
  cause,
});

/** The projects' settings files as items to approve. */
const settingsCandidates = ({ plan }: RunContext): readonly Candidate[] =>
  projectFilesIn(plan).flatMap((one) => settingsItem(one) ?? []);

export const needingApproval = (candidates: readonly Candidate[]): readonly Candidate[] =>
  candidates.filter(needsApproval);

/** For this call a yes once counts like any other approval: what it covers is looked at again before each start. */
function withApprovedOnce(approvals: Result<Approvals, string>, once: readonly Approval[]): Result<Approvals, string> {
  if (!approvals.ok || once.length === 0) return approvals;
  return ok({ ...approvals.value, approved: { ...approvals.value.approved, ...byKey(once) } });
}

/** `--trust` and what equals it are for project hooks. */
const contextFor = (candidate: Candidate, context: TrustContext): TrustContext =>
  isFromProject(candidate) ? context : { ...context, isTrustedForOneCall: false };

function withSandboxRefusal(candidate: Candidate, status: TrustStatus, { settings, plan }: RunContext): TrustStatus {
  if (status.problem !== null) return status;
  const at = { hook: candidate.name, path: candidate.path };
  // Before it is asked for its event: that, too, would run it without the sandbox (SPEC 12).
  const isBoxed = sandboxMode(candidate, settings) === "require";
  if (!isBoxed) return status;
  // A second file beside the one that is there would be an error, so the hint names that one.
  const settingsFile = userFileIn(plan)?.file ?? USER_SETTINGS_FILE;
  return { ...status, problem: { code: "HOOK_REFUSED_SANDBOX", ...at, settingsFile } };
}

/** Looks at the file again, folders on its way included: the hook before may have changed it. */
function recheckApproved(candidate: Candidate, trustContext: TrustContext, { userId }: RunContext): HookProblem | null {
  if (candidate.entry !== null)
    return decideTrust(candidate, {
      ...contextFor(candidate, trustContext),
      checkOwnership: createOwnershipCheck(userId),
    }).problem;
  const kind = classifyFile(candidate.path, basename(candidate.path), null);
  if (typeof kind === "string") return changedProblem(candidate, [SKIP_REASONS[kind]]);
  if ("unseenBecause" in kind) return changedProblem(candidate, ["it cannot be looked at"]);
  return decideTrust({ ...candidate, ...kind }, { ...trustContext, checkOwnership: createOwnershipCheck(userId) })
    .problem;
}
