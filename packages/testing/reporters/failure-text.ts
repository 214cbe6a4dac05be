import { diffLines } from "diff";
import { pluralize } from "../../../src/protocol/text/count.ts";
import { crashText } from "../../../src/protocol/text/crash.ts";
import { shellQuote } from "../../../src/protocol/text/shell-quote.ts";
import { escapeControls, truncateEscaped } from "../../../src/protocol/text/text.ts";
import { type Style, sourceRows } from "../../../src/report/text-style.ts";
import type { CheckedHook, CheckResult } from "../test-report.ts";

/** All lines that explain a check: the message, the evidence and the hint. Empty if there are none. */
export function failureLines(check: CheckResult, hook: CheckedHook, style: Style): readonly string[] {
  const { passed, message, excerpt = [], hint, evidence: { payload, response, expected, found, crash } = {} } = check;
  const threw = crash === undefined ? "" : crashText(crash);
  return [
    ...(message === null ? [] : [`${passed ? `${style.warn("▲")} ` : ""}${truncateEscaped(message, 600)}`]),
    ...(expected === undefined || found === undefined ? [] : differenceLines(expected, found, style)),
    ...(payload === undefined ? [] : [`${style.faint("payload ")} ${truncateEscaped(payload, SHOWN)}`]),
    ...(response === undefined
      ? excerpt.map((line) => `  ${truncateEscaped(line, 160)}`)
      : [`${style.faint("response")} ${truncateEscaped(response.trim() || "nothing", SHOWN)}`]),
    ...(message?.includes(threw) || threw === ""
      ? []
      : [`${style.faint("threw   ")} ${truncateEscaped(threw, SHOWN)}`]),
    ...(hint === undefined ? [] : [`Hint: ${truncateEscaped(hint, 300)}`]),
    ...(passed ? [] : [`Run again: ${escapeControls(rerunCommand(hook, check))}`]),
  ];
}

/** The command that repeats a failed check, or just the failed case. */
export const rerunCommand = ({ again }: CheckedHook, { caseFile, name }: CheckResult): string =>
  `hookctl ${again}${caseFile === undefined ? "" : ` --only ${shellQuote(name)}`}`;

const SHOWN = 400;
/** A short text is shown whole, so it needs no difference. */
const SHORT = 60;
const MOST_LINES = 40;

/** Line by line, `-` expected and `+` found; JSON is written with a line for each value. */
function differenceLines(expected: string, found: string, style: Style): readonly string[] {
  const [before, after] = [lined(expected), lined(found)];
  if (Math.max(expected.length, found.length) <= SHORT && !`${before}${after}`.includes("\n")) return [];
  const lines = diffLines(`${before}\n`, `${after}\n`).flatMap(({ value, added, removed }) => {
    const [mark, color] = added ? ["+", style.good] : removed ? ["-", style.bad] : [" ", style.faint];
    const parts = value.replace(/\n$/, "").split("\n");
    return parts.flatMap((line) => sourceRows(`${mark} `, truncateEscaped(line, 160), style, color));
  });
  const more = lines.length - MOST_LINES;
  const cut = more > 0 ? [style.faint(`  … ${pluralize(more, "more line")}`)] : [];
  return [`${style.bad("- expected")}  ${style.good("+ got")}`, ...lines.slice(0, MOST_LINES), ...cut];
}

function lined(text: string): string {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" ? JSON.stringify(value, null, 2) : text;
  } catch {
    return text;
  }
}
