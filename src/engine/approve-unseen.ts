import { fileOfEntry } from "../discover/candidate-names.ts";
import { identify } from "../discover/identify.ts";
import { NO_IDENTITY_CACHE } from "../discover/identity-cache.ts";
import { type Approval, NO_APPROVALS } from "../protocol/approval.ts";
import type { Candidate } from "../protocol/hook.ts";
import type { HostProblem } from "../protocol/problem.ts";
import { fail, ok, type Result } from "../protocol/result.ts";
import { byKey, isSettingsApproval } from "../trust/decide/approval-key.ts";
import { type ApprovalContext, approveReviewed } from "../trust/review/approve-reviewed.ts";
import { reviewHooks } from "../trust/review/review.ts";
import { changeApprovals } from "../trust/store/trust-store.ts";
import * as checks from "./approval-checks.ts";
import { hookEnvironments } from "./hook-environment.ts";
import { sandboxFor, startPlace } from "./hooks/sandboxes.ts";
import type { RunContext } from "./run-context.ts";
import { currentEntries, entriesInFile, settingsItems } from "./settings/project-settings.ts";
import { trustStatuses } from "./trust-statuses.ts";

/** Approves project hooks as they are now, without showing them: for commands that have just written them. */
export async function approve(
  candidates: readonly Candidate[],
  context: RunContext,
): Promise<Result<readonly Approval[], HostProblem>> {
  const reviewed = reviewHooks(candidates, context);
  if (!reviewed.ok) return reviewed;
  const approved = await approveReviewed(reviewed.value, approvalContext(context));
  return approved.ok ? ok(approved.value.map(({ approval }) => approval)) : approved;
}

/** Hooks are asked for their events in the environment that a run gives them, and nothing is cached. */
export const approvalContext = (context: RunContext): ApprovalContext => ({
  store: context,
  nowMs: context.nowMs,
  identify: (files, recheckTrust) =>
    identify(files, {
      cache: NO_IDENTITY_CACHE,
      nowMs: context.nowMs,
      cwd: context.cwd,
      environmentOf: hookEnvironments(context, checks),
      recheckTrust,
      sandboxOf: (candidate) => sandboxFor(candidate, startPlace(context.cwd, context), context),
      interrupt: context.interrupt,
    }),
});

/** True if the project's settings are approved as they are, or hold nothing to approve. */
export async function areSettingsApproved(context: RunContext): Promise<boolean> {
  const items = itemsOf(context);
  const { statusOf } = await trustStatuses(items, context);
  return items.every((item) => statusOf(item).trust === "trusted");
}

/** Approves the project's settings that a command has just changed for its user, and the hooks that they declare. */
export async function approveSettings(context: RunContext): Promise<Result<readonly Approval[], HostProblem>> {
  const items = itemsOf(context);
  return approve([...items, ...items.flatMap((item) => entriesInFile(item, context.plan))], context);
}

/** Removes the approvals of entries that a command has just removed from a settings file. */
export async function forgetMissingEntries(file: string, context: RunContext): Promise<Result<null, HostProblem>> {
  const { trustFile, userId, plan } = context;
  if (trustFile === null) return ok(null);
  const names = currentEntries(plan).flatMap((entry) => (entry.file === file ? [entry.name] : []));
  const isMissing = (one: Approval): boolean =>
    one.source === "config" && !isSettingsApproval(one) && fileOfEntry(one) === file && !names.includes(one.name);
  const changed = await changeApprovals(
    trustFile,
    ({ approved, denied }) => ({
      approved: byKey(Object.values(approved).filter((one) => !isMissing(one))),
      denied,
    }),
    { userId, nowMs: Date.now },
  );
  return changed.ok ? ok(null) : fail({ code: "TRUST_STORE_NOT_WRITTEN", path: trustFile, cause: changed.error });
}

function itemsOf(context: RunContext) {
  const approvals = context.trustStore.approvals();
  return settingsItems(context, approvals.ok ? approvals.value : NO_APPROVALS);
}
