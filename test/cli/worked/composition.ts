import type { Language } from "../../support/program.ts";

/** One worked chain of real programs, and all that its run tells. */
export interface Composition {
  readonly title: string;
  readonly event: string;
  readonly payload: object;
  /** What it says it is chooses the dialect in which it gets the payload and is expected to answer. */
  readonly hooks: readonly (readonly [name: string, language: Language, says: string | object, lines: string])[];
  readonly settings?: object;
  readonly stdout: string;
  readonly stderr: readonly string[];
  readonly code: number;
  /** What a hook that only looks has written down. */
  readonly seen?: string;
}

/** One line of the story, without how long it took. */
export const turn = (name: string, outcome: string) => `  ${name}   BAR   ${outcome}`;
export const NO_JSON = 'a did not print valid JSON: line 1, expected a value, found "o" ("oops")';
export const KEEP_STDOUT = 'Keep stdout for JSON; log to stderr: echo "…" >&2';
