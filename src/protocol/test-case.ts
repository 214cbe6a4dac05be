import type { JsonObject } from "./json/read.ts";
import type { VerdictDecision } from "./verdict.ts";

/** The test cases of one hook, from one file of `.kodelet/tests/`. */
export interface TestCaseFile {
  readonly file: string;
  readonly hook: string;
  readonly cases: readonly TestCase[];
}

/** What a hook should decide for one payload. */
export interface TestCase {
  readonly name: string;
  /** The event's name in any dialect. */
  readonly event: string;
  /** Fields that replace those of the event's sample, as raw JSON. */
  readonly payload: JsonObject;
  readonly expected: Expectation;
}

/** A field that is undefined is not checked. */
export interface Expectation {
  readonly decision: VerdictDecision;
  /** A text that the reason contains. */
  readonly reason: string | undefined;
  /** The new value of the target as raw JSON; `null` if nothing may change. */
  readonly change: string | undefined;
  readonly additionalContext: readonly string[] | undefined;
  readonly followUps: readonly string[] | undefined;
}
