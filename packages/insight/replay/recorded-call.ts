import type { EventName } from "../../../src/protocol/event.ts";
import type { Problem } from "../../../src/protocol/problem.ts";
import type { Verdict } from "../../../src/protocol/verdict.ts";

/** A call that happened before and was recorded. */
export interface RecordedCall {
  /** The id of its run, or its position in a session file. */
  readonly id: string;
  /** ISO 8601; null if no time was recorded. */
  readonly time: string | null;
  /** The folder in which its agent worked. It need not exist any more. */
  readonly cwd: string;
  readonly event: EventName;
  /** The payload in hookctl's format, as raw JSON. */
  readonly payload: string;
  /**
   * The folders of the other machine on which the call was made: the hooks of the caller's project judge it. For a call
   * of this machine `madeIn` is null, and the hooks of the call's project judge it.
   */
  readonly madeIn: { readonly home: string; readonly project: string } | null;
}

/** The verdict of the current hooks about a recorded call. */
export interface Judgement {
  readonly verdict: Verdict;
  /** True if a call that differs in nothing but ids and times would be judged the same. */
  readonly isRepeatable: boolean;
  /** True if no current hook handles the call, and the built-in guards have judged it with their defaults. */
  readonly isByDefaults: boolean;
}

/** `unjudged`: the payload or the settings of its folder are faulty, so no hook can judge the call. */
export type Replayed =
  | (Judgement & { readonly kind: "judged" })
  | { readonly kind: "unjudged"; readonly problem: Problem };

/** A hook that handles recorded calls and did not judge them. */
export interface LeftOutHook {
  readonly name: string;
  readonly path: string;
  readonly why: string;
}
