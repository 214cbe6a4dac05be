import type { JsonObject } from "./json/read.ts";
import type { VerdictDecision } from "./verdict.ts";

/** The test cases of one hook, from one file of `.kodelet/tests/`. */
export interface TestCaseFile {
  readonly file: string;
  readonly hook: string;
  readonly cases: readonly TestCase[];
}

/** What a hook promises for one payload. */
export interface TestCase {
  readonly name: string;
  /** By its name in any dialect. */
  readonly event: string;
  /** Members in place of those of the event's sample, as raw text. */
  readonly payload: JsonObject;
  readonly expected: Expectation;
}

/** What stays undefined is not looked at. */
export interface Expectation {
  readonly decision: VerdictDecision;
  /** A text that the reason contains. */
  readonly reason: string | undefined;
  /** The target's new value as raw JSON; `null`: nothing is changed. */
  readonly change: string | undefined;
  readonly additionalContext: readonly string[] | undefined;
  readonly followUps: readonly string[] | undefined;
}
