import type { Problem } from "./problem.ts";

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

/** By its name: each bundle has this class of its own, so `instanceof` would not see that of another. */
export const isProblemError = (error: unknown): error is ProblemError =>
  typeof error === "object" && error !== null && "name" in error && error.name === NAME;
