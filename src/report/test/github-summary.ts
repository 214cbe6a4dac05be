import { truncate } from "../../protocol/text/text.ts";
import { formatDuration } from "../../protocol/text/units.ts";
import type { CheckedHook, TestReport } from "../../test-runner/test-report.ts";
import { countsText, remarkTexts } from "./counts-text.ts";
import { remarksOn } from "./remarks.ts";
import { allResults, manyLines, oneLine, type TestResult } from "./test-results.ts";

/** GitHub rejects a summary of more than 1 MiB. */
const MOST_ROWS = 100;
const MOST_FAILURES = 50;
const MOST_REMARKS = 2;
const NAME_LIMIT = 200;
const TEXT_LIMIT = 4000;

/** Markdown: the counts, a table of hooks, and each failure in full. */
export function stepSummary(report: TestReport, rootDir: string): string {
  const failures = allResults(report, rootDir).filter(({ status }) => status === "failed");
  const parts = [
    `### hookctl: ${failures.length === 0 ? "✅" : "❌"} ${countsText(report)}`,
    hookTable(report.hooks),
    ...failures.slice(0, MOST_FAILURES).map(failurePart),
    more(failures.length - MOST_FAILURES, "failure"),
    ...remarkTexts(report)
      .slice(-MOST_ROWS)
      .map((text) => `> ▲ ${markdownText(text)}`),
  ];
  return `${parts.filter((part) => part !== "").join("\n\n")}\n\n`;
}

function hookTable(hooks: readonly CheckedHook[]): string {
  if (hooks.length === 0) return "";
  const rows = hooks.slice(0, MOST_ROWS).map((hook) => {
    const { name, checks } = hook;
    const failed = checks.filter(({ passed }) => !passed).length;
    const time = checks.reduce((sum, { durationMs }) => sum + durationMs, 0);
    const remarks = remarksOn(hook, "")
      .slice(0, MOST_REMARKS)
      .map(({ text }) => `▲ ${markdownText(text)}`)
      .join("; ");
    const mark = failed === 0 ? "✅" : "❌";
    return `| ${mark} | ${markdownText(name)} | ${checks.length - failed} | ${failed} | ${formatDuration(time)} | ${remarks} |`;
  });
  const table = ["| | hook | passed | failed | time | |", "|---|---|--:|--:|--:|---|", ...rows].join("\n");
  const rest = more(hooks.length - MOST_ROWS, "hook");
  return rest === "" ? table : `${table}\n\n${rest}`;
}

function failurePart({ suite, name, text }: TestResult): string {
  const body = truncate(manyLines(text), TEXT_LIMIT);
  return `#### ❌ ${markdownText(suite)}: ${markdownText(name)}\n\n${fenced(body)}`;
}

/** A fence is longer than every run of backticks in its text. */
function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}text\n${text}\n${fence}`;
}

const more = (count: number, word: string): string => (count <= 0 ? "" : `… and ${count} more ${word}s`);

/** Every character that could mean something in Markdown or HTML is escaped. */
const markdownText = (text: string): string => truncate(oneLine(text), NAME_LIMIT).replace(/[!-/:-@[-`{-~]/g, "\\$&");
