import type { JsonObject, JsonSpan } from "../../protocol/json/read.ts";
import type { VerdictDecision } from "../../protocol/verdict.ts";

/** What a case is about: one hook by its name. `rule`: a hook that is a rule of the settings. */
export interface CaseSubject {
  readonly kind: "hook" | "rule";
  readonly name: string;
}

/** What a hook should do with one payload. A case with a table is one for each row. */
export interface TestCase {
  readonly file: string;
  /** Where the case, or its row, begins in the file, from 1. */
  readonly line: number;
  readonly name: string;
  readonly subject: CaseSubject;
  /** The event's name in any dialect; null: the first event that the hook handles. */
  readonly event: string | null;
  /** Fields that replace those of the event's sample, as raw JSON. */
  readonly payload: JsonObject;
  readonly expected: Expectation;
}

/** A text that contains this one, or that a regular expression matches. */
export type TextPattern = { readonly contains: string } | { readonly matches: string };

/** The whole list, or a pattern of its texts, each on lines of its own. */
export type ListPattern = readonly string[] | TextPattern;

/** A field that is undefined is not checked. */
export interface Expectation {
  readonly decision: VerdictDecision | undefined;
  readonly reason: TextPattern | undefined;
  /** The tool's input and output after the hook, with at least these parts. */
  readonly input: JsonSpan | undefined;
  readonly output: JsonSpan | undefined;
  /** Then `input` and `output` have no other parts. */
  readonly isExact: boolean;
  /** The new value of the target; `null` if nothing may change. */
  readonly change: JsonSpan | undefined;
  readonly context: ListPattern | undefined;
  readonly followUps: ListPattern | undefined;
  readonly pushes: ListPattern | undefined;
  readonly exitCode: number | undefined;
  readonly stderr: TextPattern | undefined;
  readonly maxMs: number | undefined;
}
