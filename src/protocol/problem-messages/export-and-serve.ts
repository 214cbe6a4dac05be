import { shellQuote } from "../text/shell-quote.ts";
import { formatDuration } from "../text/units.ts";
import type { ProblemRows, Texts, UnionOf } from "./row.ts";

const NOTHING_LOST = "Nothing is lost: the rest stays in the audit log for the next export.";

/** An export that stopped early. What it did not send stays in the audit log. */
export const EXPORT_ROWS = {
  EXPORT_NOT_CONFIGURED: () => [
    "No collector is named.",
    'In your settings: {"settings": {"export": "http://localhost:4318"}}, or set OTEL_EXPORTER_OTLP_ENDPOINT.',
  ],
  /** A setting or variable. Its value may be a secret. */
  EXPORT_BAD_VALUE: ({ name, detail }: Texts<"name" | "detail">) => [
    `The export cannot use ${name}: ${detail}.`,
    "Correct it. Nothing was sent.",
  ],
  EXPORT_NO_LOG: () => ["There is no audit log to export.", "Set HOME to your home directory."],
  /** `waitMs` is the wait that the collector asks for; null if it asks for none. */
  EXPORT_UNREACHABLE: ({ url, cause, waitMs }: Texts<"url" | "cause"> & { waitMs: number | null }) => [
    `The collector at ${url} does not take runs now: ${cause}${waitText(waitMs)}.`,
    NOTHING_LOST,
  ],
  EXPORT_REFUSED: ({ url, status, message, signal }: Refusal) => [
    `The collector at ${url} refused ${signal} with HTTP ${status}: ${message}`,
    refusedHint(status, signal),
  ],
  EXPORT_CURSOR_INVALID: ({ path, cause }: Texts<"path" | "cause">) => [
    `It is unknown what was exported before: ${path}: ${cause}.`,
    `To send the whole audit log again: rm ${shellQuote(path)}`,
  ],
  EXPORT_CURSOR_NOT_WRITTEN: ({ path, cause }: Texts<"path" | "cause">) => [
    `The position in the audit log was not saved: ${path}: ${cause}.`,
    "The next export sends the last batch again, with the same ids.",
  ],
} as const satisfies ProblemRows;
export type ExportProblem = UnionOf<typeof EXPORT_ROWS>;

interface Refusal extends Texts<"url" | "message"> {
  readonly status: number;
  readonly signal: "traces" | "metrics" | "logs";
}

const waitText = (waitMs: number | null): string =>
  waitMs === null ? "" : `, and asks to wait ${formatDuration(waitMs)}`;

function refusedHint(status: number, signal: string): string {
  if (status === 401 || status === 403) return `Check OTEL_EXPORTER_OTLP_HEADERS. ${NOTHING_LOST}`;
  if (status === 404 || status === 405)
    return `A collector without ${signal}? Then set OTEL_${signal.toUpperCase()}_EXPORTER=none. ${NOTHING_LOST}`;
  return `Check the address. ${NOTHING_LOST}`;
}

/** A server that did not start, or a request that it did not answer. `place` is a socket, an address or a command. */
export const SERVE_ROWS = {
  SERVE_NOT_STARTED: ({ place, cause }: Texts<"place" | "cause">) => [
    `Cannot serve at ${place}: ${cause}.`,
    "Choose another place.",
  ],
  SERVE_CANCELLED: () => ["The request was cancelled.", "Do not continue: no hook has decided."],
  SERVE_STOPPING: () => ["The server is stopping.", "Start it again: hookctl serve"],
  SERVE_UNREACHABLE: ({ place, cause }: Texts<"place" | "cause">) => [
    `No answer from ${place}: ${cause}.`,
    "Do not continue: no hook has decided. Start it: hookctl serve",
  ],
} as const satisfies ProblemRows;
export type ServeProblem = UnionOf<typeof SERVE_ROWS>;
