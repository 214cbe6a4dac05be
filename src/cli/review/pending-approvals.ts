import { fullHookName, matchesHookArgument } from "../../discover/candidate-names.ts";
import { lacksExecuteBit } from "../../discover/identify.ts";
import { findAllCandidates } from "../../engine/hooks/candidates.ts";
import { missingApprovedHooks } from "../../engine/hooks/missing-hooks.ts";
import type { RunContext } from "../../engine/run-context.ts";
import { currentEntries, settingsItems } from "../../engine/settings/project-settings.ts";
import { needingApproval, trustStatuses } from "../../engine/trust-statuses.ts";
import { NO_APPROVALS } from "../../protocol/approval.ts";
import { type Candidate, isMachine } from "../../protocol/hook.ts";
import type { HookProblem, UsageProblem } from "../../protocol/problem.ts";
import { ProblemError } from "../../protocol/result.ts";
import { unknownHook } from "../../protocol/text/nearest.ts";
import { shellQuote } from "../../protocol/text/shell-quote.ts";
import { truncateEscaped } from "../../protocol/text/text.ts";
import type { CandidateStatus, TrustStatus } from "../../trust/decide/decide-trust.ts";

/** The project's hooks as `trust` shows them: only stored approvals apply, and not `--trust` or the settings. */
export interface PendingApprovals {
  readonly context: RunContext;
  readonly all: readonly Candidate[];
  readonly statusOf: (candidate: Candidate) => TrustStatus;
  /** The hooks that a yes would approve. */
  readonly waiting: readonly CandidateStatus[];
  /** The named hooks, whatever their trust status. */
  readonly named: readonly CandidateStatus[];
  /** The problems of named hooks that are denied and so cannot be approved. */
  readonly refused: readonly HookProblem[];
}

/** Finds the hooks that need approval, and those that the words name. Throws the problem of an unknown name. */
export async function findPending(runContext: RunContext, words: readonly string[]): Promise<PendingApprovals> {
  const own = runContext.settings.declared.filter(({ isAsked }) => isAsked === true);
  const declared = [...currentEntries(runContext.plan), ...own].map((entry, position) => ({ ...entry, position }));
  const settings = { ...runContext.settings, declared, projectHooks: "ask" } as const;
  const { HOOKCTL_TRUST: _, ...env } = runContext.env;
  const context = { ...runContext, settings, env };
  const approvals = context.trustStore.approvals();
  const items = settingsItems(context, approvals.ok ? approvals.value : NO_APPROVALS);
  const all = [...items, ...needingApproval(findAllCandidates(context).candidates)];
  const known = all.map(({ name }) => name);
  const names = words.map((word) => fullHookName(word, known));
  const unknown = names.find((name) => !all.some((one) => matchesHookArgument(name, one, context.cwd)));
  if (unknown !== undefined) throw new ProblemError(notYourHook(unknown, known, runContext));
  const { statusOf } = await trustStatuses(all, context, () => approvals);
  const judged = all.map((candidate) => ({ candidate, status: statusOf(candidate) }));
  const named = judged.filter(({ candidate }) =>
    names.some((name) => matchesHookArgument(name, candidate, context.cwd)),
  );
  return {
    context,
    all,
    statusOf,
    waiting: judged.filter((hook) => isWaiting(hook) && !isCovered(hook, judged)),
    named: named.filter((hook) => !isDenied(hook)),
    refused: named.filter(isDenied).flatMap(({ status }) => (status.problem === null ? [] : [status.problem])),
  };
}

/** True for an entry of a pending settings file: approving the file approves its entries. */
const isCovered = ({ candidate: { entry } }: CandidateStatus, judged: readonly CandidateStatus[]): boolean =>
  entry !== null &&
  judged.some((one) => one.candidate.settings !== undefined && one.candidate.path === entry.file && isWaiting(one));

const isDenied = ({ status }: CandidateStatus): boolean => status.trust === "denied";

/** A link that leaves the project can never run, so it is not pending. */
export const isWaiting = ({ status }: CandidateStatus): boolean =>
  status.trust !== "trusted" && status.trust !== "denied" && status.problem?.code !== "HOOK_REFUSED_LINK";

/** The problem of a name that none of these hooks has: it may be a hook of the machine, or an approved one that is missing. */
export function notYourHook(word: string, names: readonly string[], context: RunContext): UsageProblem | HookProblem {
  const found = findAllCandidates(context);
  const isNamed = (one: Pick<Candidate, "name" | "path">): boolean => matchesHookArgument(word, one, context.cwd);
  const approvals = context.trustStore.approvals();
  const missing = approvals.ok ? missingApprovedHooks(found, approvals.value, context, null) : [];
  const refusal = missing.find(isNamed)?.refusal ?? null;
  if (refusal !== null) return refusal;
  const hook = found.candidates.find((one) => isMachine(one) && isNamed(one));
  if (hook !== undefined) return { code: "USAGE_MACHINE_HOOK", name: hook.name, path: hook.entry?.file ?? hook.path };
  const closed = found.skipped.find((one) => lacksExecuteBit(one) && isNamed(one));
  if (closed === undefined) return unknownHook(word, names);
  const detail = `${truncateEscaped(closed.name, 80)} has no execute bit, so it is not a hook yet.`;
  return { code: "USAGE_WRONG_WORDS", detail, tryThis: `chmod +x ${shellQuote(closed.path)}` };
}
