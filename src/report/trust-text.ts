import { diffLines } from "diff";
import type { TrustState } from "../contract/hook.ts";
import { clipped, safeText, writeJson } from "../contract/json-text.ts";
import { shellWord } from "../contract/shell-word.ts";
import { counted, type Style } from "./style.ts";

/** One hook as somebody needs to see it before saying yes. */
export interface ReviewView {
  readonly name: string;
  readonly path: string;
  readonly trust: TrustState;
  /** A yes would approve it. */
  readonly waits: boolean;
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

const TRUST_WORDS: Readonly<Record<TrustState, string>> = {
  trusted: "✔ approved",
  untrusted: "✖ not approved",
  changed: "✖ changed",
  denied: "✖ denied",
  unsafe: "✖ unsafe",
};
const FIRST_LINES = 24;
const ROW_LENGTH = 150;
const ROW = /[\s\S]{1,150}/gu;
const MOST_DIFFERENCES = 80;

export function reviewText(view: ReviewView, style: Style): string {
  const claims = view.claims.length === 0 ? "names no event" : `says ${view.claims.join(", ")} (read, not run)`;
  const changes =
    view.changes.length === 0 ? "" : `  changed: ${view.changes.map((one) => clipped(one, 120)).join(", ")}\n`;
  return [
    `${style.strong(clipped(view.name, 60))}   ${clipped(view.path, 160)}   ${style.bad(TRUST_WORDS[view.trust])}\n`,
    `  ${clipped(view.look, 80)}; ${claims}\n`,
    changes,
    view.approvedText === null ? firstLines(view, style) : difference(view.approvedText, view.text ?? "", style),
    helperLines(view),
  ].join("");
}

/** The same for a program, each text whole: `hookctl.trust/1`. */
export function reviewJson(views: readonly ReviewView[]): string {
  const hooks = views.map(({ approvedText, ...view }) => ({ ...view, approved_text: approvedText }));
  return writeJson({ schema: "hookctl.trust/1", hooks });
}

function firstLines({ text, path }: ReviewView, style: Style): string {
  if (text === null) return `  ${style.faint("│")} (no text)\n`;
  const lines = rowsOf(text);
  const shown = lines.slice(0, FIRST_LINES).map((line) => `  ${style.faint("│")} ${safeText(line)}\n`);
  const rest = lines.length - shown.length;
  return `${shown.join("")}${rest > 0 ? `  ${style.faint("│")} … ${counted(rest, "more line")}: less ${shellWord(path)}\n` : ""}`;
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
