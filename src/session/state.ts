import { NO_PATCH, type StatePatch } from "../protocol/hook-response.ts";
import { membersOf, readJson } from "../protocol/json/read.ts";
import { ok, type Result } from "../protocol/result.ts";
import type { Warning } from "../protocol/warning.ts";
import {
  changeSession,
  type LockedFiles,
  MAX_FILE_BYTES,
  readUnlocked,
  type SessionFile,
  type WithWarnings,
} from "./session-files.ts";
import { pathExists } from "./session-folder.ts";

/** A session's shared values: key -> raw JSON, so that every digit stays. */
export type StateValues = ReadonlyMap<string, string>;

export interface PatchResult {
  readonly values: StateValues;
  /** Keys that could not be counted up: they hold something else than a number, or the sum is none. */
  readonly notCounted: readonly string[];
}

/** What a patch makes of the values: first what it sets, then what it deletes, then what it counts up. */
export function patchValues(before: StateValues, { set, remove, increment }: StatePatch): PatchResult {
  const values = new Map([...before, ...set]);
  for (const key of remove) values.delete(key);
  const notCounted: string[] = [];
  for (const [key, by] of increment) {
    const sum = sumOf(values.get(key) ?? "0", by);
    if (sum === null) notCounted.push(key);
    else values.set(key, sum);
  }
  return { values, notCounted };
}

/** Longer ones would take long to add. */
const WHOLE = /^-?\d{1,400}$/;
const NUMBER = /^-?\d/;

/** The sum of two JSON numbers; whole ones keep every digit. Null: one is no number, or the sum is beyond them. */
function sumOf(a: string, b: string): string | null {
  if (WHOLE.test(a) && WHOLE.test(b)) return String(BigInt(a) + BigInt(b));
  const sum = NUMBER.test(a) && NUMBER.test(b) ? Number(a) + Number(b) : Number.NaN;
  return Number.isFinite(sum) ? JSON.stringify(sum) : null;
}

/** Deeper than any value that a reply or the command line can bring. */
const STATE_DEPTH = 128;

const STATE_FILE: SessionFile<StateValues> = {
  name: "state",
  empty: new Map(),
  read: (text) => {
    const read = readJson(text, STATE_DEPTH);
    if (!read.ok || read.value.kind !== "object") return null;
    return new Map([...membersOf(read.value)].map(([key, span]) => [key, span.raw]));
  },
  write: (values) => (values.size === 0 ? null : stateText(values)),
};

/** The values as one JSON object. */
export const stateText = (values: StateValues): string =>
  `{${[...values].map(([key, raw]) => `${JSON.stringify(key)}:${raw}`).join(",")}}`;

export interface StateChange {
  readonly values: StateValues;
  readonly notCounted: readonly string[];
}

/** The values of the session in this folder. */
export const readState = (folder: string): Promise<Result<WithWarnings<StateValues>, string>> =>
  readUnlocked(folder, STATE_FILE);

/** Applies a patch; of several at once each one finds what the others have left. */
export function changeState(
  folder: string,
  patch: StatePatch,
  patienceMs?: number,
): Promise<Result<WithWarnings<StateChange>, string>> {
  const change = ({ read, write }: LockedFiles): StateChange => {
    const after = patchValues(read(STATE_FILE), patch);
    if (stateText(after.values).length > MAX_FILE_BYTES / 4) throw new Error("it would be larger than 2 MiB");
    write(STATE_FILE, after.values);
    return after;
  };
  return changeSession(folder, change, patienceMs);
}

/** One session's values, for whoever reads and changes them one at a time. Values are raw JSON; the fault is in words. */
export interface SessionState {
  readonly get: (key: string) => Promise<Result<string | null, string>>;
  readonly all: () => Promise<Result<StateValues, string>>;
  readonly set: (key: string, raw: string) => Promise<Result<null, string>>;
  /** The new value; null when the old one is no number. */
  readonly increment: (key: string, by?: string) => Promise<Result<string | null, string>>;
  readonly delete: (key: string) => Promise<Result<null, string>>;
}

/** Opens the values of a session. What had to be set aside on the way is told to `onWarning`. */
export function openState(folder: string, onWarning: (warning: Warning) => void): SessionState {
  const all = async () => reportWarnings(await readState(folder), onWarning);
  const change = async (patch: StatePatch) => reportWarnings(await changeState(folder, patch), onWarning);
  const silent = async (patch: StatePatch) => mapResult(await change(patch), () => null);
  return {
    all,
    get: async (key) => mapResult(await all(), (values) => values.get(key) ?? null),
    set: (key, raw) => silent({ ...NO_PATCH, set: new Map([[key, raw]]) }),
    // Where there is no session there is nothing to delete, and no folder is made for it.
    delete: async (key) => (pathExists(folder) ? silent({ ...NO_PATCH, remove: [key] }) : ok(null)),
    increment: async (key, by = "1") =>
      mapResult(await change({ ...NO_PATCH, increment: new Map([[key, by]]) }), ({ values, notCounted }) =>
        notCounted.length > 0 ? null : (values.get(key) ?? null),
      ),
  };
}

function reportWarnings<T>(
  done: Result<WithWarnings<T>, string>,
  onWarning: (warning: Warning) => void,
): Result<T, string> {
  if (!done.ok) return done;
  done.value.warnings.forEach(onWarning);
  return ok(done.value.value);
}

const mapResult = <T, U>(result: Result<T, string>, map: (value: T) => U): Result<U, string> =>
  result.ok ? ok(map(result.value)) : result;
