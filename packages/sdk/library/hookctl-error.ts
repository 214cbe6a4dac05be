import type { Explanation, Problem, ProblemCode } from "../../../src/protocol/problem.ts";
import { explain } from "../../../src/protocol/problem-messages/explain.ts";
import type { Result } from "../../../src/protocol/result.ts";

/**
 * Why a call of the library failed: wrong usage, an invalid payload or unusable settings. The failure of a hook is never
 * such an error; it is part of the result.
 */
export class HookctlError extends Error {
  override readonly name = "HookctlError";
  /** Public and stable: docs/exit-codes.md lists every code. */
  readonly code: ProblemCode;
  /** How to fix it, in one sentence. */
  readonly hint: string;

  /** A problem of this process, or the message of a server. */
  constructor(problem: Problem | ({ readonly code: ProblemCode } & Explanation)) {
    const { summary, hint } = "summary" in problem ? problem : explain(problem);
    super(summary);
    this.code = problem.code;
    this.hint = hint;
  }
}

/** The value of a result. A caller of the library gets a problem as a HookctlError. */
export function unwrapForCaller<T>(result: Result<T, Problem>): T {
  if (result.ok) return result.value;
  throw new HookctlError(result.error);
}
