import { diffLines } from "diff";
import { clipped, safeText, writeJson } from "../contract/json-text.ts";
import { hookWord } from "../contract/shell-word.ts";
import { column, counted, type Style } from "./style.ts";

/** One hook as somebody needs to see it before saying yes. */
export interface ReviewView {
  readonly name: string;
  readonly path: string;
  /** How it stands: not approved, changed, … */
  readonly standing: string;
  /** Interpreter, lines, bytes. */
  readonly look: string;
  /** Event names its text mentions. */
  readonly claims: readonly string[];
  /** Null: it cannot be read, or is no text. */
  readonly text: string | null;
  readonly helpers: readonly { readonly name: string; readonly bytes: number }[];
  /** What differs from the approved state, in words. */
  readonly changes: readonly string[];
  /** What had been approved; null when there is nothing to compare with. */
  readonly approvedText: string | null;
}

const FIRST_LINES = 24;
const ROW_LENGTH = 150;
const ROW = /[\s\S]{1,150}/gu;
const MOST_DIFFERENCES = 80;

export function reviewText(view: ReviewView, style: Style): string {
  const claims = view.claims.length === 0 ? "names no event" : `says ${view.claims.join(", ")} (read, not run)`;
  const changes =
    view.changes.length === 0 ? "" : `  changed: ${view.changes.map((one) => clipped(one, 120)).join(", ")}\n`;
  return [
    `${style.strong(clipped(view.name, 60))}   ${clipped(view.path, 160)}   ${style.bad(view.standing)}\n`,
    `  ${clipped(view.look, 80)}; ${claims}\n`,
    changes,
    view.approvedText === null ? firstLines(view, style) : difference(view.approvedText, view.text ?? "", style),
    helperLines(view),
  ].join("");
}

function firstLines({ text, path }: ReviewView, style: Style): string {
  if (text === null) return `  ${style.faint("│")} (no text)\n`;
  const lines = rowsOf(text);
  const shown = lines.slice(0, FIRST_LINES).map((line) => `  ${style.faint("│")} ${safeText(line)}\n`);
  const rest = lines.length - shown.length;
  return `${shown.join("")}${rest > 0 ? `  ${style.faint("│")} … ${counted(rest, "more line")}: less ${clipped(path, 160)}\n` : ""}`;
}

/** Long lines are broken, not cut: whoever approves a line must see its end. */
const rowsOf = (text: string): readonly string[] =>
  text
    .replace(/\n$/, "")
    .split("\n")
    .flatMap((line) => (line.length <= ROW_LENGTH ? [line] : (line.match(ROW) ?? [])));

/** Only what differs, with its sign; the same lines between are left out. */
function difference(before: string, now: string, style: Style): string {
  const lines = diffLines(before, now).flatMap(({ added, removed, value }) =>
    added || removed ? rowsOf(value).map((line) => ({ line, isNew: added })) : [],
  );
  const shown = lines
    .slice(0, MOST_DIFFERENCES)
    .map(({ line, isNew }) => `  ${isNew ? style.good(`+ ${safeText(line)}`) : style.bad(`- ${safeText(line)}`)}\n`);
  const rest = lines.length - shown.length;
  return `${shown.join("")}${rest > 0 ? `  … ${counted(rest, "more changed line")}\n` : ""}`;
}

function helperLines({ helpers }: ReviewView): string {
  if (helpers.length === 0) return "";
  const shown = helpers.slice(0, 20).map(({ name, bytes }) => `${clipped(name, 80)} (${counted(bytes, "byte")})`);
  const rest = helpers.length - shown.length;
  return `  with it: ${shown.join(", ")}${rest > 0 ? ` and ${rest} more` : ""}\n`;
}

/** What was approved, and the events each hook then said it answers; null where it did not say. */
export interface ApprovedRow {
  readonly name: string;
  readonly path: string;
  readonly sha256: string | null;
  readonly events: readonly string[] | null;
}

export function approvedText(rows: readonly ApprovedRow[]): string {
  const lines = rows.map(({ name, events }) => {
    const shown = clipped(name, 60);
    if (events !== null) return `✔ Approved ${shown}   ${events.join(", ")}\n`;
    return `▲ Approved ${shown}, but it did not say which event it answers: hookctl test ${hookWord(name)}\n`;
  });
  return lines.join("") || "Nothing was approved.\n";
}

export const approvedJson = (rows: readonly ApprovedRow[]): string =>
  `${writeJson({ schema: "hookctl.trust/1", approved: rows.map(({ name, path, sha256, events }) => ({ name, path, sha256, events })) })}\n`;

/** One line of `trust --list`. */
export interface LedgerRow {
  readonly name: string;
  readonly path: string;
  readonly state: "approved" | "changed" | "gone" | "denied";
  readonly since: string;
  readonly sha256: string | null;
}

const STATE_MARKS = { approved: "✔", changed: "▲", gone: "▲", denied: "✖" } as const;

export function ledgerText(rows: readonly LedgerRow[], style: Style): string {
  if (rows.length === 0) return "Nothing is approved and nothing is denied.\n";
  const width = Math.max(...rows.map(({ name }) => clipped(name, 40).length));
  return rows
    .map(({ name, path, state, since, sha256 }) => {
      const mark = `${STATE_MARKS[state]} ${column(state, 8)}`;
      const hash = sha256 === null ? "" : `   ${sha256.slice(0, 8)}…`;
      const shown = state === "approved" ? style.good(mark) : style.bad(mark);
      return `${shown} ${column(clipped(name, 40), width)}   since ${clipped(since, 30)}${hash}   ${clipped(path, 160)}\n`;
    })
    .join("");
}
