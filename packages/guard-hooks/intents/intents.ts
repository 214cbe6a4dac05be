import { dirname, join } from "node:path";
import { sha256Of } from "../../../src/fs/hash.ts";
import { isSurelyMissing } from "../../../src/fs/paths.ts";
import { isObject } from "../../../src/protocol/json/read.ts";
import type { Result } from "../../../src/protocol/result.ts";
import {
  changeSession,
  readUnlocked,
  type SessionFile,
  type WithWarnings,
} from "../../../src/session/session-files.ts";

/** A call that a guard stopped, by what it would have done. */
export interface StoppedCall {
  /** The hash of the effect and its target. */
  readonly intent: string;
  /** The part of the call, short and without secrets, for the next reason. */
  readonly part: string;
  readonly decision: "ask" | "block";
  readonly atMs: number;
  /** The same for all runs of one call. */
  readonly call: string;
}

/** A file or variable with a secret that an agent has read. */
export interface ReadSecret {
  readonly name: string;
  /** The hash of the session's id. */
  readonly session: string;
  readonly atMs: number;
}

/** What the guards remember of the agents in one project. */
export interface Intents {
  readonly stopped: readonly StoppedCall[];
  readonly secrets: readonly ReadSecret[];
}

/** After this time a new try is no repetition, and a secret that was read is no reason to ask. */
const INTENT_WINDOW_MS = 30 * 60_000;

/** The latest of each kind are kept. */
const MOST = 200;

const VERSION = 1;

const FILE: SessionFile<Intents> = {
  name: "intents",
  empty: { stopped: [], secrets: [] },
  read: parse,
  write: ({ stopped, secrets }) =>
    stopped.length + secrets.length === 0
      ? null
      : `${JSON.stringify({ version: VERSION, stopped: stopped.slice(-MOST), secrets: secrets.slice(-MOST) })}\n`,
};

function parse(text: string): Intents | null {
  try {
    const found: unknown = JSON.parse(text);
    if (!isObject(found) || found.version !== VERSION) return null;
    const { stopped, secrets } = found;
    const isValid = isListOf(isStopped, stopped) && isListOf(isReadSecret, secrets);
    return isValid ? { stopped, secrets } : null;
  } catch {
    return null;
  }
}

const isListOf = <T>(isItem: (value: unknown) => value is T, list: unknown): list is readonly T[] =>
  Array.isArray(list) && list.every(isItem);

const isStopped = (value: unknown): value is StoppedCall =>
  isObject(value) &&
  [value.intent, value.part, value.call].every((text) => typeof text === "string") &&
  (value.decision === "ask" || value.decision === "block") &&
  Number.isSafeInteger(value.atMs);

const isReadSecret = (value: unknown): value is ReadSecret =>
  isObject(value) &&
  [value.name, value.session].every((text) => typeof text === "string") &&
  Number.isSafeInteger(value.atMs);

/** Beside the sessions: a new session does not reset what was denied. */
export const intentsRoot = (sessionsDir: string): string => join(dirname(sessionsDir), "intents");

/** The folder of a project. */
export const intentsFolder = (sessionsDir: string, project: string): string =>
  join(intentsRoot(sessionsDir), shortHash(project));

export const shortHash = (text: string): string => sha256Of(text).slice(0, 32);

/** True if nothing is remembered: then nothing has to be loaded. */
export const remembersNothing = (folder: string): boolean => isSurelyMissing(join(folder, FILE.name));

/** What is remembered and not yet over. */
export async function readIntents(folder: string, nowMs: number): Promise<Intents> {
  const read = await readUnlocked(folder, FILE);
  return read.ok ? alive(read.value.value, nowMs) : FILE.empty;
}

/** Changes what is remembered under a lock, so that calls at the same time are all counted. Returns what it was before. */
export function changeIntents(
  folder: string,
  nowMs: number,
  change: (before: Intents) => Intents,
): Promise<Result<WithWarnings<Intents>, string>> {
  return changeSession(
    folder,
    ({ read, write }) => {
      const before = alive(read(FILE), nowMs);
      write(FILE, change(before));
      return before;
    },
    PATIENCE_MS,
  );
}

/** A call that is stopped does not wait long for the record of it. */
const PATIENCE_MS = 5_000;

/** Calls at the same time are recorded in another order than they began; a later time was not recorded by this clock. */
function alive({ stopped, secrets }: Intents, nowMs: number): Intents {
  const isAlive = ({ atMs }: { readonly atMs: number }) => Math.abs(nowMs - atMs) < INTENT_WINDOW_MS;
  return { stopped: stopped.filter(isAlive), secrets: secrets.filter(isAlive) };
}
