import type { Result } from "../../../src/protocol/result.ts";
import type { Warning } from "../../../src/protocol/warning.ts";
import type { Session } from "../../../src/session/session-folder.ts";
import { openState } from "../../../src/session/state.ts";

/** The values of a session as every process finds them on disk, for a function named `hook`. */
export function sessionStore(hook: string, session: Session, onWarning: (warning: Warning) => void): StateStore {
  if (session.folder === null) {
    return emptyStore(() => onWarning({ code: "STATE_NOT_KEPT", hook, cause: session.why }));
  }
  const state = openState(session.folder, onWarning);
  return {
    get: async (key) => {
      const raw = unwrapState(await state.get(key));
      return raw === null ? undefined : JSON.parse(raw);
    },
    set: async (key, value) => void unwrapState(await state.set(key, jsonOf(key, value))),
    increment: async (key, by = 1) => {
      const sum = unwrapState(await state.increment(key, numberOf(key, by)));
      if (sum === null) throw new TypeError(`state ${JSON.stringify(key)} is not a number`);
      return JSON.parse(sum) as number;
    },
    delete: async (key) => void unwrapState(await state.delete(key)),
  };
}

/** Without a session nothing is stored: reads find nothing, and a write adds a warning to the run. */
function emptyStore(onLoss: () => void): StateStore {
  return {
    get: async () => undefined,
    set: async (key, value) => {
      jsonOf(key, value);
      onLoss();
    },
    increment: async (key, by = 1) => {
      numberOf(key, by);
      onLoss();
      return by;
    },
    delete: async () => undefined,
  };
}

function jsonOf(key: string, value: unknown): string {
  const text: string | undefined = JSON.stringify(value);
  if (text === undefined) throw new TypeError(`state ${JSON.stringify(key)}: a ${typeof value} is not a JSON value`);
  return text;
}

function numberOf(key: string, by: number): string {
  if (!Number.isFinite(by)) throw new TypeError(`state ${JSON.stringify(key)}: ${by} cannot be added`);
  return JSON.stringify(by);
}

/** Throws if the state cannot be read or written, so that the function can handle it. */
function unwrapState<T>(result: Result<T, string>): T {
  if (result.ok) return result.value;
  throw new Error(`the state of this session cannot be used: ${result.error}`);
}

/** Values that hooks share during one session. Values are JSON; each call resolves when the change is stored. */
export interface StateStore {
  /** The value under a key; undefined when there is none. */
  readonly get: (key: string) => Promise<unknown>;
  readonly set: (key: string, value: unknown) => Promise<void>;
  /** Adds to a number (a missing one counts as 0) and returns the sum; rejects if the value is not a number. */
  readonly increment: (key: string, by?: number) => Promise<number>;
  readonly delete: (key: string) => Promise<void>;
}
