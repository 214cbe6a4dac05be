import { printableJson } from "../../protocol/json/write.ts";
import type { Explanation, Problem } from "../../protocol/problem.ts";
import { quoteHookName } from "../../protocol/text/shell-quote.ts";
import { truncateEscaped } from "../../protocol/text/text.ts";
import { problemRecord } from "../problem-text.ts";
import { column, type Style } from "../text-style.ts";

/** An approved hook with the events that it declared; null if it declared none. */
export interface ApprovedRow {
  readonly name: string;
  readonly path: string;
  readonly sha256: string | null;
  readonly events: readonly string[] | null;
  /** The program that its command cannot find; null if nothing is missing. */
  readonly missing: string | null;
  /** Why no call runs it, as far as that is known, and what to do about it. */
  readonly neverRuns: Explanation | null;
}

/** A hook in the store. */
export type HookRow = Pick<ApprovedRow, "name" | "path">;

/** The result of `trust`. */
export interface TrustOutcome {
  readonly approved: readonly ApprovedRow[];
  readonly denied: readonly HookRow[];
  /** Something was pending. */
  readonly hadToDecide: boolean;
}

export const NOTHING_PENDING = "Nothing to approve. List approvals: hookctl trust --list\n";

export function approvedText({ approved, denied, hadToDecide }: TrustOutcome): string {
  if (!hadToDecide) return NOTHING_PENDING;
  const lines = approved.map(({ name, events, missing, neverRuns }) => {
    const shown = truncateEscaped(name, 60);
    if (missing === null && neverRuns !== null) {
      const { summary, hint } = neverRuns;
      return `▲ Approved ${shown}, but ${events === null ? "it cannot run" : "no call runs it"}: ${truncateEscaped(summary, 400)}\n  ${truncateEscaped(hint, 400)}\n`;
    }
    if (missing === null && events !== null) return `${`✔ Approved ${shown}   ${events.join(", ")}`.trimEnd()}\n`;
    const doubt = missing === null ? "did not declare an event" : `cannot start: ${truncateEscaped(missing, 400)}`;
    return `▲ Approved ${shown}, but it ${doubt}: hookctl test ${quoteHookName(name)}\n`;
  });
  return deniedText(denied) + (lines.join("") || "Nothing was approved.\n");
}

/** Before the file is deleted: an approved guard that is gone blocks. */
export const undoLine = ({ approved: [one, ...others] }: TrustOutcome): string =>
  one === undefined || others.length > 0
    ? ""
    : `  undo (before you delete the file): hookctl untrust ${quoteHookName(one.name)}\n`;

/** `refused`: why pending hooks could not be approved. */
export const approvedJson = ({ approved, denied }: TrustOutcome, refused: readonly Problem[]): string =>
  printableJson({
    schema: "hookctl.trust/1",
    approved: approved.map(({ neverRuns, ...row }) => ({ ...row, never_runs: neverRuns?.summary ?? null })),
    denied: denied.map(asKnown),
    problems: refused.length === 0 ? undefined : refused.map(problemRecord),
  });

/** The result of `untrust`, one line for each name. */
export const deniedText = (rows: readonly HookRow[]): string => eachName("✖ Denied", rows);
export const forgottenText = (rows: readonly HookRow[], others: readonly HookRow[]): string =>
  eachName("✔ Removed the approval of", rows) + eachName("• Was not approved:", others) ||
  "No hooks of this project are approved.\n";

/** The same for a program: `hookctl.untrust/1`. */
export const untrustJson = (what: "denied" | "forgotten", rows: readonly HookRow[]): string =>
  printableJson({ schema: "hookctl.untrust/1", [what]: rows.map(asKnown) });

const eachName = (words: string, rows: readonly HookRow[]): string =>
  [...new Set(rows.map(({ name }) => name))].map((name) => `${words} ${truncateEscaped(name, 80)}\n`).join("");

const asKnown = ({ name, path }: HookRow) => ({ name, path });

/** One line of `trust --list`. */
export interface StoredRow {
  readonly name: string;
  readonly path: string;
  readonly state: "approved" | "changed" | "gone" | "denied";
  readonly since: string;
  readonly sha256: string | null;
}

const STATE_MARKS = { approved: "✔", changed: "▲", gone: "▲", denied: "✖" } as const;

export function storedApprovalsText(rows: readonly StoredRow[], style: Style): string {
  if (rows.length === 0) return "No hooks are approved or denied.\n";
  const width = Math.max(...rows.map(({ name }) => truncateEscaped(name, 40).length));
  return rows
    .map(({ name, path, state, since, sha256 }) => {
      const mark = `${STATE_MARKS[state]} ${column(state, 8)}`;
      const hash = sha256 === null ? "" : `   ${sha256.slice(0, 8)}…`;
      const shown = state === "approved" ? style.good(mark) : style.bad(mark);
      return `${shown} ${column(truncateEscaped(name, 40), width)}   since ${since}${hash}   ${truncateEscaped(path, 160)}\n`;
    })
    .join("");
}
