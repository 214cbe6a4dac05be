import { basename } from "node:path";
import { projectPlans, userPlan } from "../config/load-settings.ts";
import { classifyFile } from "../discover/classify.ts";
import { type Approval, EMPTY_LEDGER, type Ledger } from "../protocol/approval.ts";
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
import { mainCheckoutOf } from "../trust/decide/worktree.ts";
import { projectDigest } from "../trust/evidence/project-digest.ts";
import { sandboxMode } from "./hooks/resolve-hook.ts";
import { memoize } from "./lazy.ts";
import { ledgerOf } from "./ledger.ts";
import type { RunContext } from "./run-context.ts";
import { safePython } from "./safe-python.ts";
import { settingsItem } from "./settings/project-settings.ts";

/** How the files of one call stand. */
export interface Standings {
  readonly of: (candidate: Candidate) => TrustStatus;
  /** Right before a start: is an approved file still the one that was approved? Null: it may be started. */
  readonly again: (hook: Pick<Hook, "name" | "path">) => HookProblem | null;
  readonly ledger: Result<Ledger, string>;
  readonly warnings: readonly Warning[];
}

/** What trust and the settings say of each file, and whether its project's settings can be used at all. */
export function standings(candidates: readonly Candidate[], context: RunContext): Standings {
  const { scopes, settings, options, env } = context;
  const isProject = candidates.some(isFromProject);
  const items = [...candidates.filter(isFromProject), ...currentItems(context)];
  const digestOf = () => projectDigest(items, scopes.projectDirs);
  const digest = isProject && env.HOOKCTL_TRUST ? digestOf() : null;
  const isByDigest = digest !== null && digest === env.HOOKCTL_TRUST;
  const isOther = isProject && env.HOOKCTL_TRUST !== undefined && env.HOOKCTL_TRUST !== "" && !isByDigest;
  const isTrustedForOneCall = options.isTrustedForOneCall || settings.projectHooks === "allow" || isByDigest;
  // Where there is no user, nobody has denied anything that a yes for one call could pass over.
  const isNobodys = scopes.homeDir === null && isTrustedForOneCall;
  const ledger = withOnce(isNobodys ? ok(EMPTY_LEDGER) : ledgerOf(context), options.approvedOnce);
  const trustContext: TrustContext = {
    ...scopes,
    approvals: ledger,
    trustFile: context.trustFile,
    isTrustedForOneCall,
    checkOwnership: createOwnershipCheck(context.userId),
    mainCheckoutOf: memoize(mainCheckoutOf),
    supportsSafePath: safePython(context),
  };
  const decided = new Map<string, { candidate: Candidate; standing: TrustStatus }>();
  const of = (candidate: Candidate): TrustStatus => {
    const standing = withSettings(candidate, decideTrust(candidate, contextFor(candidate, trustContext)), context);
    decided.set(candidate.path, { candidate, standing });
    return standing;
  };
  return {
    of,
    again: ({ path }) => {
      const before = decided.get(path);
      if (before === undefined) return null;
      if (before.standing.approval !== null) return stillApproved(before.candidate, trustContext, context);
      const isCovered = isByDigest && isFromProject(before.candidate);
      return isCovered && digestOf() !== digest
        ? changedProblem(before.candidate, ["the digest of its project"])
        : null;
    },
    ledger,
    warnings: [...(isOther ? [DIGEST_DIFFERS] : []), ...storeWarnings(ledger, context)],
  };
}

const DIGEST_DIFFERS: Warning = { code: "TRUST_DIGEST_DIFFERS" };

/** That there is no HOME is told by itself. */
const storeWarnings = (ledger: Result<Ledger, string>, context: RunContext): readonly Warning[] =>
  ledger.ok || context.scopes.homeDir === null
    ? []
    : [{ code: "TRUST_STORE_UNUSABLE", path: storePlace(context), cause: ledger.error }];

/** Where the store is, or would be if its place counted. */
const storePlace = ({ trustFile, trustFileProblem }: RunContext): string => trustFile ?? trustFileProblem?.path ?? "";

export const storeNotRead = (context: RunContext, cause: string): HostProblem => ({
  code: "TRUST_STORE_NOT_READ",
  path: storePlace(context),
  cause,
});

/** The projects' settings files as items to approve. */
const currentItems = ({ plan }: RunContext): readonly Candidate[] =>
  projectPlans(plan).flatMap((one) => settingsItem(one) ?? []);

export const toApprove = (candidates: readonly Candidate[]): readonly Candidate[] => candidates.filter(needsApproval);

/** For this call a yes once counts like any other approval: what it covers is looked at again before each start. */
function withOnce(ledger: Result<Ledger, string>, once: readonly Approval[]): Result<Ledger, string> {
  if (!ledger.ok || once.length === 0) return ledger;
  return ok({ ...ledger.value, approvals: { ...ledger.value.approvals, ...byKey(once) } });
}

/** `--trust` and what equals it are for project hooks. */
const contextFor = (candidate: Candidate, context: TrustContext): TrustContext =>
  isFromProject(candidate) ? context : { ...context, isTrustedForOneCall: false };

function withSettings(candidate: Candidate, standing: TrustStatus, { settings, plan }: RunContext): TrustStatus {
  if (standing.problem !== null) return standing;
  const at = { hook: candidate.name, path: candidate.path };
  // Before it is asked for its event: that, too, would run it without the sandbox (SPEC 12).
  const isBoxed = sandboxMode(candidate, settings) === "require";
  if (!isBoxed) return standing;
  // A second file beside the one that is there would be an error, so the hint names that one.
  const settingsFile = userPlan(plan)?.file ?? USER_SETTINGS_FILE;
  return { ...standing, problem: { code: "HOOK_REFUSED_SANDBOX", ...at, settingsFile } };
}

/** Looks at the file again, folders on its way included: the hook before may have changed it. */
function stillApproved(candidate: Candidate, trustContext: TrustContext, { userId }: RunContext): HookProblem | null {
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
