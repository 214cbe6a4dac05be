import { pathExists } from "../fs/paths.ts";
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

/** A session's shared values as raw JSON, so that numbers keep their digits. */
export type StateValues = ReadonlyMap<string, string>;

export interface PatchResult {
  readonly values: StateValues;
  /** Keys that could not be incremented, because the value or the sum is not a number. */
  readonly notCounted: readonly string[];
}

/** Applies a patch: first `set`, then `delete`, then `increment`. */
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

/** Longer integers are added as floating-point numbers, because exact addition would be slow. */
const WHOLE = /^-?\d{1,400}$/;
const NUMBER = /^-?\d/;

/** Adds two JSON numbers, integers exactly. Null if one is not a number or the sum is not finite. */
function sumOf(a: string, b: string): string | null {
  if (WHOLE.test(a) && WHOLE.test(b)) return String(BigInt(a) + BigInt(b));
  const sum = NUMBER.test(a) && NUMBER.test(b) ? Number(a) + Number(b) : Number.NaN;
  return Number.isFinite(sum) ? JSON.stringify(sum) : null;
}

/** Deeper than any value that a response or the command line can contain. */
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

/** Reads the values of the session in this folder. */
export const readState = (folder: string): Promise<Result<WithWarnings<StateValues>, string>> =>
  readUnlocked(folder, STATE_FILE);

/** Applies a patch under the session's lock. */
export function changeState(
  folder: string,
  patch: StatePatch,
  patienceMs?: number,
): Promise<Result<WithWarnings<PatchResult>, string>> {
  const change = ({ read, write }: LockedFiles): PatchResult => {
    const after = patchValues(read(STATE_FILE), patch);
    if (stateText(after.values).length > MAX_FILE_BYTES / 4) throw new Error("it would be larger than 2 MiB");
    write(STATE_FILE, after.values);
    return after;
  };
  return changeSession(folder, change, patienceMs);
}

/** One session's values, as the library uses them. Values are raw JSON; errors are descriptions. */
export interface SessionState {
  readonly get: (key: string) => Promise<Result<string | null, string>>;
  readonly all: () => Promise<Result<StateValues, string>>;
  readonly set: (key: string, raw: string) => Promise<Result<null, string>>;
  /** The new value; null if the old one is not a number. */
  readonly increment: (key: string, by?: string) => Promise<Result<string | null, string>>;
  readonly delete: (key: string) => Promise<Result<null, string>>;
}

/** Opens the values of a session. Broken files that were moved aside are reported to `onWarning`. */
export function openState(folder: string, onWarning: (warning: Warning) => void): SessionState {
  const reported = async <T, U>(work: Promise<Result<WithWarnings<T>, string>>, map: (value: T) => U) => {
    const done = await work;
    if (!done.ok) return done;
    done.value.warnings.forEach(onWarning);
    return ok(map(done.value.value));
  };
  const change = (patch: Partial<StatePatch>) => changeState(folder, { ...NO_PATCH, ...patch });
  return {
    all: () => reported(readState(folder), (values) => values),
    get: (key) => reported(readState(folder), (values) => values.get(key) ?? null),
    set: (key, raw) => reported(change({ set: new Map([[key, raw]]) }), () => null),
    // Without a session folder there is nothing to delete.
    delete: async (key) => (pathExists(folder) ? reported(change({ remove: [key] }), () => null) : ok(null)),
    increment: (key, by = "1") =>
      reported(change({ increment: new Map([[key, by]]) }), ({ values, notCounted }) =>
        notCounted.length > 0 ? null : (values.get(key) ?? null),
      ),
  };
}
