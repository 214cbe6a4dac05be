import type { Problem } from "../../../src/protocol/problem.ts";
import type { Cursor, FilePosition } from "./cursor.ts";
import { logRecordsOf } from "./log-records.ts";
import { type ExportedRun, readLine } from "./read-run.ts";
import { type Exporter, logsRequest, metricsRequest, tracesRequest } from "./requests.ts";
import type { Delivery, Sink } from "./sink.ts";
import { spansOf } from "./spans.ts";
import { type Batch, openSpool, readBatch, readRemovals, type Spool, type SpoolFile } from "./spool.ts";
import { addLost, addRun } from "./totals.ts";

/** One export: its source, its target, and its cursor. */
export interface ExportJob {
  readonly auditFile: string;
  readonly sink: Sink;
  readonly exporter: Exporter;
  readonly nowMs: () => number;
  /** True after a signal: the export ends between two batches. */
  readonly isStopped: () => boolean;
  /** Stores the cursor. Returns the problem, or null. */
  readonly store: (cursor: Cursor) => Problem | null;
  readonly tally: Tally;
}

/** The counts for the summary. They grow while the export runs. */
export interface Tally {
  runs: number;
  spans: number;
  logs: number;
  rejected: number;
  unreadable: number;
  lost: number;
  gaps: number;
  /** Messages of the collector, each once. */
  readonly messages: Set<string>;
}

export const newTally = (): Tally => ({
  runs: 0,
  spans: 0,
  logs: 0,
  rejected: 0,
  unreadable: 0,
  lost: 0,
  gaps: 0,
  messages: new Set(),
});

/**
 * Sends the lines after the cursor, one batch after another. The cursor moves when the collector has acknowledged a
 * batch, and not before. Returns the cursor as it was stored last.
 */
export async function exportRuns(start: Cursor, job: ExportJob): Promise<Exported> {
  let cursor = start;
  while (!job.isStopped()) {
    const spool = openSpool(job.auditFile, cursor.files);
    const next = nextBatch(spool, cursor);
    if (next === null) return { cursor: countLost(cursor, spool, job), problem: null };
    const sent = await sendBatch(next, { spool, cursor, job });
    cursor = sent.cursor;
    if (sent.problem !== null) return sent;
  }
  return { cursor, problem: null };
}

export interface Exported {
  readonly cursor: Cursor;
  /** Why the export ended early; null if everything is sent. */
  readonly problem: Problem | null;
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

interface Sending {
  readonly spool: Spool;
  readonly cursor: Cursor;
  readonly job: ExportJob;
}

/** Traces, then logs, then the cursor. */
async function sendBatch({ file, batch }: NextBatch, { spool, cursor, job }: Sending): Promise<Exported> {
  const content = readLines(batch.lines);
  const half = { inode: file.inode, end: batch.after.offset };
  const traced =
    cursor.half?.inode === half.inode && cursor.half.end === half.end
      ? { cursor, problem: null }
      : await sendTraces(content.runs, half, { cursor, job });
  if (traced.problem !== null) return traced;
  const logged = await sendLogs(content.runs, { cursor: traced.cursor, job });
  if (logged.problem !== null) return logged;
  const positions = [...spool.gone, ...spool.files.map((one) => (one === file ? batch.after : one.position))];
  const moved = afterBatch(content, { ...logged.cursor, files: positions }, job);
  const problem = job.store(moved);
  return problem === null ? { cursor: moved, problem } : { cursor, problem };
}

type Step = Pick<Sending, "cursor" | "job">;

/** Records that the traces of a batch were accepted, so that they are not sent again if its logs fail. */
async function sendTraces(runs: readonly ExportedRun[], half: Cursor["half"], step: Step): Promise<Exported> {
  const { exporter, tally, store } = step.job;
  const spans = runs.flatMap(spansOf);
  const sent = await deliver({ signal: "traces", body: tracesRequest(spans, exporter), count: spans.length }, step);
  if (sent.problem !== null || spans.length === 0) return sent;
  tally.spans += spans.length;
  const cursor = { ...sent.cursor, half };
  const hasLogs = runs.some((run) => logRecordsOf(run).length > 0);
  return { cursor, problem: hasLogs ? store(cursor) : null };
}

async function sendLogs(runs: readonly ExportedRun[], step: Step): Promise<Exported> {
  const { exporter, tally } = step.job;
  const records = runs.flatMap(logRecordsOf);
  const sent = await deliver({ signal: "logs", body: logsRequest(records, exporter), count: records.length }, step);
  if (sent.problem === null) tally.logs += records.length;
  return sent;
}

/** Sends the totals, if they have changed since. */
export async function exportTotals(cursor: Cursor, job: ExportJob): Promise<Exported> {
  if (!cursor.areTotalsNew) return { cursor, problem: null };
  const period = { startMs: cursor.sinceMs, endMs: job.nowMs() };
  const body = metricsRequest(cursor.totals, period, job.exporter);
  const count = Object.values(cursor.totals).reduce((sum, series) => sum + Object.keys(series).length, 0);
  const sent = await deliver({ signal: "metrics", body, count }, { cursor, job });
  return sent.problem === null ? { cursor: { ...sent.cursor, areTotalsNew: false }, problem: null } : sent;
}

const MOST_MESSAGES = 5;

/** Sends one request, and counts the items that the receiver rejected for good. */
async function deliver(delivery: Delivery, { cursor, job: { sink, tally } }: Step): Promise<Exported> {
  if (delivery.count === 0) return { cursor, problem: null };
  const sent = await sink.send(delivery);
  if (!sent.ok) return { cursor, problem: sent.error };
  const { rejected, message } = sent.value;
  tally.rejected += rejected;
  if (message !== null && tally.messages.size < MOST_MESSAGES) tally.messages.add(message);
  return { cursor: { ...cursor, rejected: cursor.rejected + rejected }, problem: null };
}

/** The cursor after a batch was accepted. */
function afterBatch({ runs, unreadable, erased }: BatchContent, cursor: Cursor, { tally }: ExportJob): Cursor {
  for (const run of runs) addRun(run, cursor.totals);
  tally.runs += runs.length;
  if (erased > 0) addLost(erased, cursor.totals);
  tally.unreadable += unreadable;
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

interface BatchContent {
  readonly runs: readonly ExportedRun[];
  readonly unreadable: number;
  readonly erased: number;
}

function readLines(lines: readonly string[]): BatchContent {
  const read = lines.map(readLine);
  return {
    runs: read.flatMap((one) => (typeof one === "string" ? [] : one)),
    unreadable: read.filter((one) => one === "unreadable").length,
    erased: read.filter((one) => one === "erased").length,
  };
}

/**
 * After all lines are read: counts the unexported lines of removed files. A file that disappeared without a note was
 * removed by another program: if it had such lines, or could have got some, the loss is unknown.
 */
function countLost(cursor: Cursor, { gone, files }: Spool, { auditFile, tally }: ExportJob): Cursor {
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
