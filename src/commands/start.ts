import { EXIT, exitCodeOf } from "../protocol/exit-code.ts";
import type { Problem } from "../protocol/problem.ts";
import { PLAIN_STYLE } from "../report/style.ts";
import type { World } from "../world.ts";

// Every command begins and ends with these; how a call begins is shared with the library, which prints nothing.
export { createRunContext, fallbackFolder } from "../engine/create-context.ts";

/** A thrown value in a few words, never with its stack. */
export const faultDetail = (error: unknown): string =>
  error instanceof Error ? `${error.name}: ${error.message}` : String(error);

/** Says what is wrong and gives the exit code that belongs to it. */
export async function refuse(problem: Problem, world: World): Promise<number> {
  const { problemText } = await import("../report/problem-text.ts");
  world.err(problemText(problem, PLAIN_STYLE));
  return exitCodeOf(problem);
}

/** The exit code of a command that has answered without a settings file that cannot be used. */
export const codeBeside = async (problem: Problem | null, code: number, world: World): Promise<number> =>
  problem === null || code !== EXIT.goOn ? code : refuse(problem, world);

/** Prints the answer of a command; one that could not be written is a failure of its own. */
export async function print(text: string, world: World): Promise<number> {
  const lost = world.out(text);
  return lost === null ? EXIT.goOn : refuse({ code: "OUTPUT_LOST", cause: lost }, world);
}
