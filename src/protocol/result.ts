import type { Problem } from "./problem.ts";

/** An expected outcome as a value. A throw is a bug. */
export type Result<T, E> = Ok<T> | Fail<E>;
interface Ok<T> {
  readonly ok: true;
  readonly value: T;
}
interface Fail<E> {
  readonly ok: false;
  readonly error: E;
}

export const ok = <T>(value: T): Ok<T> => ({ ok: true, value });
export const fail = <E>(error: E): Fail<E> => ({ ok: false, error });

const NAME = "ProblemError";

/** A problem that ends the command from any depth, where a `Result` would have to pass through every generator. */
export class ProblemError extends Error {
  override readonly name = NAME;
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(problem.code);
    this.problem = problem;
  }
}

/** The value of a result. Throws the problem of a failure: `main` reports it and ends the command. */
export function unwrap<T>(result: Result<T, Problem>): T {
  if (result.ok) return result.value;
  throw new ProblemError(result.error);
}

/** The outcome of some work as a result, for a caller to whom one problem is not the end. */
export async function attempt<T>(work: () => T | Promise<T>): Promise<Result<T, Problem>> {
  try {
    return ok(await work());
  } catch (error) {
    if (!isProblemError(error)) throw error;
    return fail(error.problem);
  }
}

/** The same for work that does not wait. */
export function attemptSync<T>(work: () => T): Result<T, Problem> {
  try {
    return ok(work());
  } catch (error) {
    if (!isProblemError(error)) throw error;
    return fail(error.problem);
  }
}

/** By its name: each bundle has its own copy of this class, so `instanceof` would fail across bundles. */
export const isProblemError = (error: unknown): error is ProblemError =>
  typeof error === "object" && error !== null && "name" in error && error.name === NAME;
