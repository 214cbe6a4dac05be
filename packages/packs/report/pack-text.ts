import { printableJson } from "../../../src/protocol/json/write.ts";
import type { Problem } from "../../../src/protocol/problem.ts";
import { pluralize } from "../../../src/protocol/text/count.ts";
import { quoteHookNames } from "../../../src/protocol/text/shell-quote.ts";
import { listNames, truncateEscaped } from "../../../src/protocol/text/text.ts";
import { problemRecord } from "../../../src/report/problem-text.ts";
import type { Style } from "../../../src/report/text-style.ts";
import { type ApprovedRow, approvedText } from "../../../src/report/trust/approvals-text.ts";
import type { FileState } from "../lock.ts";

/** Which hooks of a pack were approved, and which were not. */
export interface PackApprovals {
  readonly approved: readonly ApprovedRow[];
  /** The names of hooks that do not run before they are approved. */
  readonly waiting: readonly string[];
  /** Why they were not approved although the user agreed; null if the user did not, or if `problem` has the reason. */
  readonly notApprovedBecause: string | null;
  /** Why they could not be approved; reported separately. */
  readonly problem: Problem | null;
}

/** The result for one pack. */
export interface PackReport extends PackApprovals {
  readonly name: string;
  readonly action: keyof typeof ACTIONS;
  readonly source: string;
  readonly revision: string | null;
  /** The revision that it had before; null if it had the same or none. */
  readonly previous: string | null;
  /** A commit or a version; null for a folder. */
  readonly pinned: string | null;
  readonly files: readonly { readonly path: string; readonly state: FileState }[];
  /** Paths in the folders of the pack that it does not include. */
  readonly leftOut: readonly string[];
  /** For a pack that is pinned to a tag, a version or a commit: the newest that an update does not take by itself. */
  readonly pinnedTo?: { readonly newer: string | null; readonly command: string | null };
  /** The command that takes what a dry run found. */
  readonly update?: string;
}

const ACTIONS = {
  added: "Added",
  updated: "Updated",
  restored: "Restored",
  approved: "Approved",
  unchanged: "Up to date:",
  outdated: "An update is available:",
  removed: "Removed",
};

export const packsText = (reports: readonly PackReport[], style: Style): string =>
  reports.map((report) => packText(report, style)).join("");

function packText(report: PackReport, style: Style): string {
  const { name, action, source, revision, previous, pinned, approved } = report;
  const at = pinned === null ? "" : ` at ${truncateEscaped(pinned.replace(/^([0-9a-f]{12})[0-9a-f]{28,}$/, "$1"), 60)}`;
  const mark = action === "unchanged" ? "•" : action === "outdated" ? style.warn("▲") : style.good("✔");
  const isPinned = action === "unchanged" && report.pinnedTo !== undefined;
  const what = isPinned ? `Pinned to ${truncateEscaped(revision ?? "", 60)}:` : ACTIONS[action];
  const step = previous === null ? "" : `   ${truncateEscaped(`${previous} → ${revision ?? "newest"}`, 120)}`;
  const from = `${truncateEscaped(name, 80)}   ${truncateEscaped(source, 200)}`;
  const done = `${mark} ${what} ${from}${step}${at}${fileCount(report)}\n`;
  const approvals = approved.length === 0 ? "" : approvedText({ approved, denied: [], hadToDecide: true });
  return `${done}${leftOutText(report)}${approvals}${waitingText(report, style)}${newerText(report, style)}`;
}

function newerText({ action, pinnedTo, update }: PackReport, style: Style): string {
  const take =
    action === "outdated" && update !== undefined ? `  Review and take it: ${truncateEscaped(update, 400)}\n` : "";
  if (pinnedTo === undefined || pinnedTo.newer === null || pinnedTo.command === null) return take;
  return `${take}${style.warn("▲")} ${truncateEscaped(pinnedTo.newer, 60)} exists. Take it: ${truncateEscaped(pinnedTo.command, 400)}\n`;
}

function fileCount({ files, action }: PackReport): string {
  if (action === "unchanged" || action === "approved") return "";
  const changed = files.filter(({ state }) => state !== "same").length;
  return `   ${pluralize(changed, "file")}${action === "updated" || action === "outdated" ? " changed" : ""}`;
}

function leftOutText({ leftOut, action }: PackReport): string {
  if (leftOut.length === 0 || action === "unchanged" || action === "approved") return "";
  return `• Skipped: ${truncateEscaped(listNames(leftOut), 300)}\n`;
}

function waitingText({ waiting, notApprovedBecause: why }: PackReport, style: Style): string {
  if (waiting.length === 0) return "";
  const because = why === null ? "" : ` (${truncateEscaped(why, 200)})`;
  const command = `hookctl trust ${quoteHookNames(waiting)}`;
  return `${style.warn("▲")} Not approved, so not run${because}. Read and approve: ${command}\n`;
}

/** The same for a program: `hookctl.packs/1`. */
export const packsJson = (reports: readonly PackReport[], problems: readonly Problem[]): string =>
  printableJson({
    schema: "hookctl.packs/1",
    problems: problems.length === 0 ? undefined : problems.map(problemRecord),
    packs: reports.map(({ name, action, source, revision, previous, pinned, pinnedTo, files, ...report }) => ({
      name,
      action,
      source,
      revision,
      previous: previous ?? undefined,
      pinned,
      newer: pinnedTo?.newer ?? undefined,
      files: files.map(({ path, state }) => ({ path, state })),
      left_out: report.leftOut.length === 0 ? undefined : report.leftOut,
      approved: report.approved.map(({ name: hook, path, events }) => ({ name: hook, path, events })),
      not_approved: report.waiting,
    })),
  });
