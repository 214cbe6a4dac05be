import { printableJson } from "../../../src/protocol/json/write.ts";
import type { Problem } from "../../../src/protocol/problem.ts";
import { explain } from "../../../src/protocol/problem-messages/explain.ts";
import { pluralize } from "../../../src/protocol/text/count.ts";
import { truncateEscaped } from "../../../src/protocol/text/text.ts";
import { warningLine } from "../../../src/report/problem-text.ts";
import type { Style } from "../../../src/report/text-style.ts";

/** The result of one export. */
export interface ExportSummary {
  /** The collector, or the folder. */
  readonly to: string;
  readonly runs: number;
  readonly spans: number;
  readonly logs: number;
  /** Items that the collector will never take. */
  readonly rejected: number;
  readonly unreadable: number;
  /** Lines that were removed from the log before they were exported. */
  readonly lost: number;
  readonly gaps: number;
  /** Messages of the collector. */
  readonly messages: readonly string[];
}

export function exportText(summary: ExportSummary, style: Style): string {
  const { to, runs, spans, logs, messages } = summary;
  const done = `✔ exported ${pluralize(runs, "run")} (${pluralize(spans, "span")}, ${pluralize(logs, "log record")}) to ${truncateEscaped(to, 200)}\n`;
  const said = messages.map((message) => `the collector says: ${truncateEscaped(message, 300)}`);
  return [
    runs === 0 ? `• nothing new to export to ${truncateEscaped(to, 200)}\n` : style.good(done),
    ...[...doubts(summary), ...said].map((text) => warningLine(text, style)),
  ].join("");
}

function doubts({ rejected, unreadable, lost, gaps }: ExportSummary): readonly string[] {
  return [
    ...(rejected > 0 ? [`the collector rejected ${pluralize(rejected, "item")}, not sent again`] : []),
    ...(lost > 0 ? [`${pluralize(lost, "line was", "lines were")} removed from the audit log before the export`] : []),
    ...(gaps > 0 ? ["files of the audit log were removed by another program: runs may be missing"] : []),
    ...(unreadable > 0
      ? [`skipped ${pluralize(unreadable, "line")} of the audit log that cannot be read as a record`]
      : []),
  ];
}

export function exportJson(summary: ExportSummary, problem: Problem | null): string {
  const { to, runs, spans, logs, rejected, unreadable, lost, gaps, messages } = summary;
  const error = problem === null ? null : { code: problem.code, ...explain(problem) };
  return printableJson({
    schema: "hookctl.export-result/1",
    to,
    runs,
    spans,
    log_records: logs,
    rejected,
    unreadable,
    lost_lines: lost,
    gaps,
    messages,
    problem: error,
  });
}
