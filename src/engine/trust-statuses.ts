import { basename, delimiter, isAbsolute, join } from "node:path";
import { classifyFile } from "../discover/find-candidates.ts";
import { mainCheckoutOf } from "../fs/git.ts";
import { createFolderNames, pathExists, realPathOrSame } from "../fs/paths.ts";
import { projectEnvironment } from "../process/filter-environment.ts";
import { type Approval, type Approvals, NO_APPROVALS } from "../protocol/approval.ts";
import { type Candidate, type Hook, isFromProject, needsApproval, SKIP_REASONS } from "../protocol/hook.ts";
import type { HookProblem, HostProblem } from "../protocol/problem.ts";
import { ok, type Result } from "../protocol/result.ts";
import type { Warning } from "../protocol/warning.ts";
import { byKey } from "../trust/decide/approval-key.ts";
import { changedProblem, decideTrust, type TrustContext, type TrustStatus } from "../trust/decide/decide-trust.ts";
import { createOwnershipCheck } from "../trust/decide/ownership.ts";
import type { SupportsSafePath } from "../trust/hook-files/python-search.ts";
import { openTrustStore } from "../trust/store/trust-store.ts";
import { approvalChecksFor, searchContext } from "./hook-environment.ts";
import { lazy, memoize } from "./memoize.ts";
import type { RunContext } from "./run-context.ts";

/** The trust statuses of the files of one call. */
interface TrustStatuses {
  readonly statusOf: (candidate: Candidate) => TrustStatus;
  /** Called right before each start: returns a problem if an approved file is no longer the approved one. */
  readonly recheck: (hook: Pick<Hook, "name" | "path">) => HookProblem | null;
  readonly approvals: Result<Approvals, string>;
  readonly warnings: readonly Warning[];
}

/** Decides for each file whether it may run: by approvals, by `--trust` and HOOKCTL_TRUST, and by the settings. */
export async function trustStatuses(
  candidates: readonly Candidate[],
  context: RunContext,
  // By default read again: a denial applies from the next event on, also in a call that handles several.
  stored: () => Result<Approvals, string> = openTrustStore(context).approvals,
): Promise<TrustStatuses> {
  const { scopes, settings, options, env } = context;
  const expected = env.HOOKCTL_TRUST ?? "";
  // Also without a candidate: the hook that the digest covers may have been deleted.
  const isExpected = expected !== "";
  const checks = isExpected ? await import("./approval-checks.ts") : await approvalChecksFor(candidates);
  const digestOf = () => checks?.digestOfProject(candidates, context) ?? null;
  const isByDigest = isExpected && digestOf() === expected;
  const isTrustedForOneCall = options.isTrustedForOneCall || settings.projectHooks === "allow" || isByDigest;
  // Without a HOME there are no denials that `--trust` could override.
  const isNobodys = scopes.homeDir === null && isTrustedForOneCall;
  const approvals = withApprovedOnce(isNobodys ? ok(NO_APPROVALS) : stored(), options.approvedOnce);
  const trustContext: TrustContext = {
    ...scopes,
    approvals,
    trustFile: context.trustFile,
    isTrustedForOneCall,
    checkOwnership: createOwnershipCheck(context.userId),
    compare: checks?.compareWithApproval ?? null,
    mainCheckoutOf: memoize(mainCheckoutOf),
    supportsSafePath: safePathSupport(context),
    namesIn: createFolderNames(),
  };
  const decided = new Map<string, { candidate: Candidate; status: TrustStatus }>();
  const statusOf = (candidate: Candidate): TrustStatus => {
    const status = decideTrust(candidate, trustContext);
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
      return isCovered && digestOf() !== expected
        ? changedProblem(before.candidate, ["the digest of its project"])
        : null;
    },
    approvals,
    warnings: [...(isExpected && !isByDigest ? [DIGEST_DIFFERS] : []), ...storeWarnings(approvals, context)],
  };
}

/** The problem that HOOKCTL_TRUST approves nothing, if the caller (`--strict`) or the settings demand to fail then. */
export function unusedDigest(
  warnings: readonly Warning[],
  { settings }: Pick<RunContext, "settings">,
  isStrict: boolean,
): HostProblem | null {
  const mayFail = isStrict || settings.onUntrusted === "fail";
  return mayFail && warnings.some(({ code }) => code === DIGEST_DIFFERS.code) ? { code: "TRUST_DIGEST_DIFFERS" } : null;
}

const DIGEST_DIFFERS: Warning = { code: "TRUST_DIGEST_DIFFERS" };

/** A missing HOME has a warning of its own. */
const storeWarnings = (approvals: Result<Approvals, string>, context: RunContext): readonly Warning[] =>
  approvals.ok || context.scopes.homeDir === null
    ? []
    : [{ code: "TRUST_STORE_UNUSABLE", path: storePath(context), cause: approvals.error }];

/** The store's path, also if it may not be used. */
const storePath = ({ trustFile, trustFileProblem }: RunContext): string => trustFile ?? trustFileProblem?.path ?? "";

export const storeNotReadable = (context: RunContext, cause: string): HostProblem => ({
  code: "TRUST_STORE_NOT_READ",
  path: storePath(context),
  cause,
});

export const needingApproval = (candidates: readonly Candidate[]): readonly Candidate[] =>
  candidates.filter(needsApproval);

/** Adds approvals that hold for this call only. Like any other, they are compared again before each start. */
function withApprovedOnce(approvals: Result<Approvals, string>, once: readonly Approval[]): Result<Approvals, string> {
  if (!approvals.ok || once.length === 0) return approvals;
  return ok({ ...approvals.value, approved: { ...approvals.value.approved, ...byKey(once) } });
}

/** Checks the file and the folders above it again: the previous hook may have changed them. */
function recheckApproved(candidate: Candidate, trustContext: TrustContext, { userId }: RunContext): HookProblem | null {
  const now = { ...trustContext, checkOwnership: createOwnershipCheck(userId), namesIn: createFolderNames() };
  if (candidate.entry !== null) return decideTrust(candidate, now).problem;
  const kind = classifyFile(candidate.path, basename(candidate.path), null);
  if (typeof kind === "string") return changedProblem(candidate, [SKIP_REASONS[kind]]);
  if ("unseenBecause" in kind) return changedProblem(candidate, ["it cannot be checked"]);
  return decideTrust({ ...candidate, ...kind }, now).problem;
}

/** The first Python 3 minor version that supports PYTHONSAFEPATH. */
const FIRST_SAFE = 11;

/** Decides by the file name of the program, links followed, such as `python3.12`: nothing is started to find out. */
function safePathSupport(context: RunContext): SupportsSafePath {
  const { env, settings } = context;
  const path = lazy(() => projectEnvironment(env, searchContext(context), settings.envAllow).PATH ?? "");
  const isSafe = memoize((program: string) => {
    const found = isAbsolute(program) ? program : join(folderOf(program, path()) ?? "/nowhere", program);
    const minor = /^python3\.(\d+)$/.exec(basename(realPathOrSame(found)))?.[1];
    return minor !== undefined && Number(minor) >= FIRST_SAFE;
  });
  return (text) => {
    const line = /^#!\s*([^\n]*)/.exec(text)?.[1] ?? "python3";
    // With these options Python ignores its environment variables.
    if (/\s-\w*E/.test(line)) return false;
    const words = line.split(/\s+/).filter((word) => !/^-|=/.test(word));
    return isSafe((basename(words[0] ?? "") === "env" ? words[1] : words[0]) ?? "python3");
  };
}

const folderOf = (program: string, path: string): string | undefined =>
  path.split(delimiter).find((folder) => isAbsolute(folder) && pathExists(join(folder, program)));
