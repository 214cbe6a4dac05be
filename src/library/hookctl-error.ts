import type { Problem, ProblemCode } from "../protocol/problem.ts";
import { explain } from "../protocol/problem-message.ts";

/**
 * Why a call of the library could not be carried out: wrong use, a payload that is not valid, settings that cannot be
 * used. What a hook does is never such an error; it stands in the record.
 */
export class HookctlError extends Error {
  override readonly name = "HookctlError";
  /** Public and stable: docs/exit-codes.md lists every code. */
  readonly code: ProblemCode;
  /** What to do about it, in one sentence. */
  readonly hint: string;

  constructor(problem: Problem) {
    const { summary, hint } = explain(problem);
    super(summary);
    this.code = problem.code;
    this.hint = hint;
  }
}
