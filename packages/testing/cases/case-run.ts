import type { JsonSpan } from "../../../src/protocol/json/read.ts";
import type { Verdict } from "../../../src/protocol/verdict.ts";
import type { Invocation } from "../checks/response-checks.ts";
import type { CheckResult } from "../test-report.ts";
import type { CasePayload } from "./case-payload.ts";

export interface CaseResult extends CheckResult {
  readonly wasCutShort: boolean;
  /** `null` if the case has no valid payload, or its files cannot be written. */
  readonly run: CaseRun | null;
}

/** The payload, the response of each hook, and the result of the chain. */
export interface CaseRun extends CasePayload {
  readonly invocations: readonly Invocation[];
  readonly verdict: Verdict;
  /** The session's values afterwards. */
  readonly state: JsonSpan;
  readonly snapshot: JsonSpan;
}
