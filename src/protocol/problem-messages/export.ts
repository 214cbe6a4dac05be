import type { Explanation, ExportProblem } from "../problem.ts";
import { shellQuote } from "../text/shell-quote.ts";
import { formatDuration } from "../text/units.ts";

const NOTHING_LOST = "Nothing is lost: the rest stays in the audit log for the next export.";

export function explainExport(problem: ExportProblem): Explanation {
  switch (problem.code) {
    case "EXPORT_NOT_CONFIGURED":
      return {
        summary: "No collector is named.",
        hint: 'In your settings: {"settings": {"export": "http://localhost:4318"}}, or set OTEL_EXPORTER_OTLP_ENDPOINT.',
      };
    case "EXPORT_BAD_VALUE":
      return {
        summary: `The export cannot use ${problem.name}: ${problem.detail}.`,
        hint: "Correct it. Nothing was sent.",
      };
    case "EXPORT_NO_LOG":
      return { summary: "There is no audit log to export.", hint: "Set HOME to your home directory." };
    case "EXPORT_UNREACHABLE":
      return {
        summary: `The collector at ${problem.url} does not take runs now: ${problem.cause}${waitText(problem.waitMs)}.`,
        hint: NOTHING_LOST,
      };
    case "EXPORT_REFUSED":
      return {
        summary: `The collector at ${problem.url} refused ${problem.signal} with HTTP ${problem.status}: ${problem.message}`,
        hint: refusedHint(problem.status, problem.signal),
      };
    case "EXPORT_CURSOR_INVALID":
      return {
        summary: `It is unknown what was exported before: ${problem.path}: ${problem.cause}.`,
        hint: `To send the whole audit log again: rm ${shellQuote(problem.path)}`,
      };
    case "EXPORT_CURSOR_NOT_WRITTEN":
      return {
        summary: `The position in the audit log was not saved: ${problem.path}: ${problem.cause}.`,
        hint: "The next export sends the last batch again, with the same ids.",
      };
  }
}

const waitText = (waitMs: number | null): string =>
  waitMs === null ? "" : `, and asks to wait ${formatDuration(waitMs)}`;

function refusedHint(status: number, signal: string): string {
  if (status === 401 || status === 403) return `Check OTEL_EXPORTER_OTLP_HEADERS. ${NOTHING_LOST}`;
  if (status === 404 || status === 405)
    return `A collector without ${signal}? Then set OTEL_${signal.toUpperCase()}_EXPORTER=none. ${NOTHING_LOST}`;
  return `Check the address. ${NOTHING_LOST}`;
}
