/** Values that hooks share during one session. Values are JSON; each call resolves when the change is stored. */
export interface StateStore {
  /** The value under a key; undefined when there is none. */
  readonly get: (key: string) => Promise<unknown>;
  readonly set: (key: string, value: unknown) => Promise<void>;
  /** Adds to a number (a missing one counts as 0) and returns the sum; rejects if the value is not a number. */
  readonly increment: (key: string, by?: number) => Promise<number>;
  readonly delete: (key: string) => Promise<void>;
}
