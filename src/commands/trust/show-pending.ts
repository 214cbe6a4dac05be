import { join } from "node:path";
import { type CommandResult, print } from "../../cli/command-result.ts";
import type { PendingApprovals } from "../../cli/review/pending-approvals.ts";
import { viewPending } from "../../cli/review/review-items.ts";
import type { Host } from "../../engine/host.ts";
import { isFromProject } from "../../protocol/hook.ts";
import { printableJson } from "../../protocol/json/write.ts";
import { fail } from "../../protocol/result.ts";
import { quoteHookNames, shellQuote } from "../../protocol/text/shell-quote.ts";
import { PLAIN_STYLE } from "../../report/text-style.ts";
import { NOTHING_PENDING } from "../../report/trust/approvals-text.ts";
import { reviewJson, reviewText } from "../../report/trust/review-text.ts";
import type { CandidateStatus } from "../../trust/decide/decide-trust.ts";
import { projectDigest } from "../../trust/evidence/canonical-settings.ts";

/** What `trust --show` and `--digest` are about. */
export interface ShowRequest {
  readonly isJson: boolean;
  readonly pending: PendingApprovals;
  /** The named hooks, or all pending ones. */
  readonly hooks: readonly CandidateStatus[];
}

/** `trust --show`: shows what a yes would approve, and approves nothing. */
export function showPending({ pending, hooks, isJson }: ShowRequest, host: Host): CommandResult {
  const views = viewPending(hooks, pending);
  if (isJson) return print(`${reviewJson(views)}\n`, host);
  if (views.length === 0) return print(NOTHING_PENDING, host);
  const names = views.filter(({ waits }) => waits).map(({ name }) => name);
  const next = names.length === 0 ? "" : `\nTo approve what you have read: hookctl trust ${quoteHookNames(names)}\n`;
  return print(views.map((view) => reviewText(view, PLAIN_STYLE).text).join("\n") + next, host);
}

/** `trust --digest`: prints one hash of all project hooks. */
export function printDigest({ pending, isJson }: ShowRequest, host: Host): CommandResult {
  const { projectDir, projectDirs } = pending.context.scopes;
  const digest = projectDigest(pending.all.filter(isFromProject), projectDirs);
  if (digest !== null) {
    return print(`${isJson ? printableJson({ schema: "hookctl.trust/1", digest }) : digest}\n`, host);
  }
  const cause = "has no digest: there are too many files beside its hooks, or some cannot be read";
  const fix = `Remove files that no hook needs: ls -laR ${shellQuote(join(projectDir, ".kodelet"))}`;
  return fail({ code: "TRUST_UNSAFE_PLACE", place: projectDir, cause, fix });
}
