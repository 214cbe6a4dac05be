import { attempt } from "../../../src/protocol/result.ts";
import type { Cursor, FilePosition } from "./cursor.ts";
import { addLost, addRun, metricsOf } from "./metrics.ts";
import { type Exporter, requestBody, type Signal } from "./otlp.ts";
import type { Sink } from "./sink.ts";
import { type Batch, openSpool, readBatch, readRemovals, type Spool, type SpoolFile } from "./spool.ts";
import { type ExportedRun, logRecordsOf, readLine, spansOf } from "./telemetry.ts";

/** One export: its source, its target, and its cursor. */
export interface ExportJob {
  readonly auditFile: string;
  readonly sink: Sink;
  readonly exporter: Exporter;
  readonly nowMs: () => number;
  /** True after a signal: the export ends between two batches. */
  readonly isStopped: () => boolean;
  /** Writes the cursor. Throws if that fails. */
  readonly store: (cursor: Cursor) => void;
  readonly tally: Tally;
  /** The state so far; also after a failure it is right. */
  cursor: Cursor;
}

/** The counts for the summary. They grow while the export runs. */
export type Tally = ReturnType<typeof newTally>;

export const newTally = () => ({
  runs: 0,
  spans: 0,
  logs: 0,
  /** Items that the collector will never take. */
  rejected: 0,
  unreadable: 0,
  /** Lines that were removed from the log before they were exported. */
  lost: 0,
  gaps: 0,
  /** Messages of the collector, each once. */
  messages: new Set<string>(),
});

/**
 * Sends the lines after the cursor, one batch after another, and then the totals, if they are due. The cursor moves when
 * the collector has acknowledged a batch, and not before. Returns the problem that ended the export early, or null.
 */
export async function exportLog(job: ExportJob, areTotalsDue: boolean) {
  const done = await attempt(async () => {
    await exportRuns(job);
    if (areTotalsDue && !job.isStopped()) await exportTotals(job);
  });
  return done.ok ? null : done.error;
}

async function exportRuns(job: ExportJob): Promise<void> {
  while (!job.isStopped()) {
    const spool = openSpool(job.auditFile, job.cursor.files);
    const next = nextBatch(spool, job.cursor);
    if (next === null) {
      job.cursor = countLost(spool, job);
      return;
    }
    await sendBatch(next, spool, job);
  }
}

interface NextBatch {
  readonly file: SpoolFile;
  readonly batch: Batch;
}

function nextBatch({ files }: Spool, { half }: Cursor): NextBatch | null {
  for (const file of files) {
    if (file.size <= file.position.offset) continue;
    const end = half?.inode === file.inode && half.end > file.position.offset ? half.end : null;
    const batch = readBatch(file, end);
    if (batch !== null) return { file, batch };
  }
  return null;
}

/** Traces, then logs, then the cursor. */
async function sendBatch({ file, batch }: NextBatch, spool: Spool, job: ExportJob): Promise<void> {
  const lines = batch.lines.map(readLine);
  const runs = lines.filter((line) => typeof line === "object");
  const records = runs.flatMap(logRecordsOf);
  const half = { inode: file.inode, end: batch.after.offset };
  if (job.cursor.half?.inode !== half.inode || job.cursor.half.end !== half.end) {
    const spans = runs.flatMap(spansOf);
    await deliver("traces", spans, job);
    job.tally.spans += spans.length;
    // Stored, so that the traces are not sent again if the logs fail.
    if (spans.length > 0) job.cursor = { ...job.cursor, half };
    if (spans.length > 0 && records.length > 0) job.store(job.cursor);
  }
  await deliver("logs", records, job);
  job.tally.logs += records.length;
  const files = [...spool.gone, ...spool.files.map((one) => (one === file ? batch.after : one.position))];
  const erased = lines.filter((line) => line === "erased").length;
  job.tally.unreadable += lines.filter((line) => line === "unreadable").length;
  const moved = afterBatch({ runs, erased }, { ...job.cursor, files }, job.tally);
  job.store(moved);
  job.cursor = moved;
}

interface SentBatch {
  readonly runs: readonly ExportedRun[];
  readonly erased: number;
}

/** The cursor after a batch was accepted. */
function afterBatch({ runs, erased }: SentBatch, cursor: Cursor, tally: Tally): Cursor {
  for (const run of runs) addRun(run, cursor.totals);
  if (erased > 0) addLost(erased, cursor.totals);
  tally.runs += runs.length;
  tally.lost += erased;
  return {
    ...cursor,
    half: null,
    problem: null,
    lost: cursor.lost + erased,
    areTotalsNew: cursor.areTotalsNew || runs.length + erased > 0,
    lastRun: runs.at(-1)?.run.time ?? cursor.lastRun,
  };
}

/** Sends the totals, if they have changed since. */
async function exportTotals(job: ExportJob): Promise<void> {
  const { totals, areTotalsNew, sinceMs } = job.cursor;
  if (!areTotalsNew) return;
  const metrics = metricsOf(totals, { startMs: sinceMs, endMs: job.nowMs() });
  const points = Object.values(totals).reduce((sum, series) => sum + Object.keys(series).length, 0);
  await deliver("metrics", metrics, job, points);
  job.cursor = { ...job.cursor, areTotalsNew: false };
}

const MOST_MESSAGES = 5;

/** Sends one request, and counts the items that the receiver rejected for good. */
async function deliver(signal: Signal, items: readonly object[], job: ExportJob, count = items.length): Promise<void> {
  if (count === 0) return;
  const { sink, tally, exporter } = job;
  const { rejected, message } = await sink.send({ signal, body: requestBody(signal, items, exporter), count });
  tally.rejected += rejected;
  if (message !== null && tally.messages.size < MOST_MESSAGES) tally.messages.add(message);
  job.cursor = { ...job.cursor, rejected: job.cursor.rejected + rejected };
}

/**
 * After all lines are read: counts the unexported lines of removed files. A file that disappeared without a note was
 * removed by another program: if it had unexported lines, or could have got some, the loss is unknown.
 */
function countLost({ gone, files }: Spool, { auditFile, tally, cursor }: ExportJob): Cursor {
  const { removed, end } = readRemovals(auditFile, cursor.removalsRead);
  // Checked again: a file may have been removed since, and a new one may have its inode.
  const now = removed.length === 0 ? { gone, files } : openSpool(auditFile, cursor.files);
  const seen = new Set<number>();
  const explained = removed.map(({ inode }) => {
    // A later file may have got the inode of a removed one: only the first is the one that was read.
    if (seen.has(inode)) return undefined;
    seen.add(inode);
    return now.gone.find((one) => one.inode === inode);
  });
  const lines = removed.map((file, index) => Math.max(0, file.lines - (explained[index]?.lines ?? 0)));
  const lost = lines.reduce((sum, one) => sum + one, 0);
  const isGap = gone.some((one) => !explained.some((other) => other?.inode === one.inode) && mayHaveMore(one));
  if (lost > 0) addLost(lost, cursor.totals);
  tally.lost += lost;
  tally.gaps += isGap ? 1 : 0;
  return {
    ...cursor,
    files: now.files.map(({ position }) => position),
    removalsRead: end,
    lost: cursor.lost + lost,
    gaps: cursor.gaps + (isGap ? 1 : 0),
    areTotalsNew: cursor.areTotalsNew || lost > 0,
  };
}

const mayHaveMore = ({ isLive, offset, size }: FilePosition): boolean => isLive || offset < size;
