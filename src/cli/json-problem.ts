import type { Host } from "../host.ts";
import type { Problem } from "../protocol/problem.ts";
import { problemJson } from "../report/problem-text.ts";
import { COMMON_OPTIONS } from "./agent-commands.ts";
import { COMMANDS } from "./command-table.ts";
import { scan } from "./scan.ts";

/** Their stdout belongs to a protocol, in which an object of hookctl's own would be a wrong answer. */
const WITH_PROTOCOL: readonly (string | undefined)[] = ["bridge", "serve"];

/** Prints the problem that ended a call with `--json`, also where another part of its command line is wrong. */
export function printProblemJson(problem: Problem, host: Host): void {
  const { words, given } = scan(host.argv, COMMANDS);
  if (given.has(COMMON_OPTIONS.json) && !WITH_PROTOCOL.includes(words[0])) host.out(`${problemJson(problem)}\n`);
}
