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
 * All reads of hooks, settings and approvals go through this object so that `serve` can record them. A test fails on other
 * imports of node:fs. What `serve` keeps may not depend on the times of a folder, which are recorded only for the names in it.
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
export const SETTLING_MS = 2000;

/** False for a file that was changed a moment ago: its next change may leave the same timestamp. */
export const isSettled = (times: { readonly modifiedMs: number; readonly changedMs: number }, nowMs: number): boolean =>
  nowMs - Math.max(times.modifiedMs, times.changedMs) >= SETTLING_MS;

/** Counts side effects (processes, writes, clock reads). A result that depends on one is never cached by `serve`. */
export const unrepeatable = { count: 0 };
