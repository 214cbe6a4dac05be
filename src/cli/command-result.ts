import type { Host } from "../engine/host.ts";
import { EXIT, exitCodeOf } from "../protocol/exit-code.ts";
import type { Problem } from "../protocol/problem.ts";
import { fail, ok, type Result } from "../protocol/result.ts";
import { type ColorOption, stderrStyle } from "./stream-style.ts";

/** How a command ends: with its exit code, or with a problem that is reported for it. */
export type CommandResult = Result<number, Problem>;

/** A thrown value in a few words, never with its stack. */
export const faultDetail = (error: unknown): string =>
  error instanceof Error ? `${error.name}: ${error.message}` : String(error);

/** Reports a problem on stderr and returns its exit code. */
export async function reportProblem(
  problem: Problem,
  host: Host,
  options: ColorOption = { color: null },
): Promise<number> {
  const { problemText } = await import("../report/problem-text.ts");
  host.err(problemText(problem, await stderrStyle(options, host)));
  host.reported?.(problem);
  return exitCodeOf(problem);
}

/** The problem, with the command whose help explains its option. */
export const inCommand = <P extends Problem>(problem: P, command: string | undefined): P =>
  problem.code === "USAGE_BAD_VALUE" ? { ...problem, command } : problem;

/** Ends with a problem that the command could work around, unless something else went wrong. */
export const withProblem = (problem: Problem | null, ended: CommandResult): CommandResult =>
  problem === null || !ended.ok || ended.value !== EXIT.ok ? ended : fail(problem);

/** Prints the output of a command. `isDecision`: the caller needs it to decide. A `code` other than 0 stands if the reader has left, as `head` does. */
export function print(text: string, host: Host, isDecision = false, code: number = EXIT.ok): CommandResult {
  const lost = host.out(text);
  return lost === null || (lost === "EPIPE" && code !== EXIT.ok)
    ? ok(code)
    : fail({ code: "OUTPUT_LOST", cause: lost, isDecision });
}
