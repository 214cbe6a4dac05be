import { randomUUID } from "node:crypto";
import { dirname, join } from "node:path";
import { exportCursorFile } from "../../../src/audit/remove-log.ts";
import { takeLock } from "../../../src/fs/lock.ts";
import { makeFolder } from "../../../src/fs/write-file.ts";
import type { Problem } from "../../../src/protocol/problem.ts";
import { explain } from "../../../src/protocol/problem-messages/explain.ts";
import { attempt, ProblemError } from "../../../src/protocol/result.ts";
import { type Cursor, LOCK_LOST, newCursor, readCursor, writeCursor } from "./cursor.ts";
import { type ExportJob, exportLog } from "./export-log.ts";
import type { Exporter } from "./otlp.ts";

/** Often enough that no other process takes the lock for abandoned. */
const RENEW_MS = 2_000;
/** The intervals at which a following export reads new runs, and sends totals. */
const READ_MS = 2_000;
const TOTALS_MS = 30_000;
/** The wait before a collector is tried again that is down or refuses requests. */
const DOWN_MS = 15_000;
const REFUSED_MS = 60_000;

/** One call of `hookctl export` with a collector. */
export interface ExportRequest extends Omit<ExportJob, "exporter" | "store" | "cursor"> {
  readonly exporterFor: (instance: string) => Exporter;
  readonly elapsedMs: () => number;
  /** Waits. Returns false if the exporter must stop. */
  readonly pause: (ms: number) => Promise<boolean>;
}

/** `busy`: another process exports. `stopped`: by a signal. */
export type ExportEnd = "done" | "busy" | "stopped" | Problem;

/** Exports the current log once. Only one process exports at a time. */
export const exportOnce = (request: ExportRequest): Promise<ExportEnd> =>
  withLock(request, async (store) => {
    const problem = await exportNow(request, store, true);
    return problem ?? (request.isStopped() ? "stopped" : "done");
  });

/** Exports the log and follows it until `pause` returns false. `report` is called for each new problem. */
export const followLog = (request: ExportRequest, report: (problem: Problem) => void): Promise<ExportEnd> =>
  withLock(request, async (store) => {
    let [lastCode, totalsMs] = ["", Number.NEGATIVE_INFINITY];
    for (;;) {
      const areTotalsDue = request.elapsedMs() - totalsMs >= TOTALS_MS;
      if (areTotalsDue) totalsMs = request.elapsedMs();
      const problem = await exportNow(request, store, areTotalsDue);
      if (problem?.code.startsWith("EXPORT_CURSOR")) return problem;
      if (problem !== null && problem.code !== lastCode) report(problem);
      lastCode = problem?.code ?? "";
      if (!(await request.pause(pauseAfter(problem)))) return "stopped";
    }
  });

function pauseAfter(problem: Problem | null): number {
  if (problem === null) return READ_MS;
  return problem.code === "EXPORT_UNREACHABLE" ? (problem.waitMs ?? DOWN_MS) : REFUSED_MS;
}

type Store = ExportJob["store"];

async function withLock({ auditFile }: ExportRequest, work: (store: Store) => Promise<ExportEnd>): Promise<ExportEnd> {
  const path = exportCursorFile(auditFile);
  makeFolder(dirname(path));
  const lock = await takeLock(join(dirname(path), "export.lock"), 0);
  if (lock === null) return "busy";
  const renewing = setInterval(lock.renew, RENEW_MS);
  const store = (cursor: Cursor): void => {
    const failed = writeCursor(path, cursor, lock.isOurs);
    if (failed === null) return;
    const cause = failed === LOCK_LOST ? "another export has the lock" : failed;
    throw new ProblemError({ code: "EXPORT_CURSOR_NOT_WRITTEN", path, cause });
  };
  try {
    return await work(store);
  } finally {
    clearInterval(renewing);
    lock.release();
  }
}

/** Exports the current log. The cursor is read each time, so that a failed export leaves no state in memory. */
async function exportNow(request: ExportRequest, store: Store, areTotalsDue: boolean): Promise<Problem | null> {
  const exported = await attempt(async () => {
    const path = exportCursorFile(request.auditFile);
    const read = readCursor(path);
    if (!read.ok) throw new ProblemError({ code: "EXPORT_CURSOR_INVALID", path, cause: read.error });
    const start = read.value ?? newCursor(randomUUID(), request.nowMs());
    // From now on, removals from the log before an export are counted.
    if (read.value === null) store(start);
    const job = { ...request, store, exporter: request.exporterFor(start.instance), cursor: start };
    const problem = await exportLog(job, areTotalsDue);
    const time = new Date(request.nowMs()).toISOString();
    const ended = { ...job.cursor, problem: problem === null ? null : { time, text: explain(problem).summary } };
    // An export without new lines does not write the file.
    const unsaved = JSON.stringify(ended) === JSON.stringify(start) ? null : await attempt(() => store(ended));
    return problem ?? (unsaved?.ok === false ? unsaved.error : null);
  });
  return exported.ok ? exported.value : exported.error;
}
