import type { Host } from "../host.ts";
import { EXIT, exitCodeOf } from "../protocol/exit-code.ts";
import type { Problem } from "../protocol/problem.ts";
import { PLAIN_STYLE } from "../report/style.ts";

/** A thrown value in a few words, never with its stack. */
export const faultDetail = (error: unknown): string =>
  error instanceof Error ? `${error.name}: ${error.message}` : String(error);

/** Says what is wrong and gives the exit code that belongs to it. */
export async function refuse(problem: Problem, host: Host): Promise<number> {
  const { problemText } = await import("../report/problem-text.ts");
  host.err(problemText(problem, PLAIN_STYLE));
  return exitCodeOf(problem);
}

/** The exit code of a command that has answered without a settings file that cannot be used. */
export const exitCodeWithProblem = async (problem: Problem | null, code: number, host: Host): Promise<number> =>
  problem === null || code !== EXIT.ok ? code : refuse(problem, host);

/** Prints the answer of a command; one that could not be written is a failure of its own. */
export async function print(text: string, host: Host): Promise<number> {
  const lost = host.out(text);
  return lost === null ? EXIT.ok : refuse({ code: "OUTPUT_LOST", cause: lost }, host);
}
