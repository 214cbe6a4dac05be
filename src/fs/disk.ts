import {
  accessSync,
  existsSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  readSync,
  realpathSync,
  statSync,
} from "node:fs";

/**
 * How hookctl looks at the disk when it finds hooks, reads settings and decides trust. A server puts functions in their
 * place that note each look, so that it can repeat them: a look past this object would be forgotten there, and a test
 * refuses it. No code may use the times of a folder, because what they tell is noted only for its names.
 */
export const disk = {
  accessSync,
  existsSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  readSync,
  realpathSync: realpathSync.native,
  statSync,
};

/** Within this time a file can change without a new timestamp. */
const SETTLING_MS = 2000;

/** A file's own times, but not for what is still being written: its next change may leave no trace in them. */
export const isSettled = ({ modifiedMs, changedMs }: FileTimes, nowMs: number): boolean =>
  nowMs - Math.max(modifiedMs, changedMs) >= SETTLING_MS;

interface FileTimes {
  readonly modifiedMs: number;
  readonly changedMs: number;
}

/**
 * Counts what was found out otherwise than by a look: a process was started, a file was to be written, the time decided.
 * The next time it may be otherwise although every look finds the same.
 */
export const unrepeatable = { count: 0 };
