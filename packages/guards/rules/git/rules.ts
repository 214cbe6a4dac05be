import { ownValue } from "../../../../src/protocol/own-value.ts";
import { UNKNOWN } from "../../../../src/shell/unknown.ts";
import type { Call, Word } from "../../command/call.ts";
import { type CommandLine, hasForm, hasOption } from "../command-lines.ts";
import { readRules } from "../command-rules.ts";
import table from "./rules.json" with { type: "json" };

export const GIT_RULES = readRules(table);

/** What `git checkout` replaces: `checkout .`, `checkout HEAD file`; null if it changes the branch. */
export function replacesFiles(line: CommandLine): "surely" | "perhaps" | null {
  if (!hasForm(line, "checkout *") || hasOption(line, "-b -B --orphan -t --track --detach")) return null;
  const [, first, second] = line.operands;
  if (second !== undefined) return "surely";
  if (first === undefined) return null;
  return isPath(first.word) ? "surely" : mayBePath(first.word) ? "perhaps" : null;
}

/** True for `checkout -B main` and `switch -C main`. Scripts that make up the name at run time make a branch of their own. */
export function movesBranch({ args }: Call, { operands: [command] }: CommandLine): boolean {
  const moves = ownValue(MOVES, command?.word.text ?? "");
  if (command === undefined || moves === undefined) return false;
  // `git -C folder switch main` has its -C before the command.
  const words = args.slice(args.indexOf(command.word) + 1).map(({ text }) => text);
  const at = words.findIndex((text) => moves.test(text));
  return at >= 0 && !words.slice(at, at + 2).some((text) => text.includes(UNKNOWN));
}

const MOVES: Readonly<Record<string, RegExp>> = { checkout: /^-[qfpt]*B/, switch: /^(?:-[qfdt]*C|--force-c)/ };

/** True for a name that no branch can have. */
const isPath = ({ text, isGlob }: Word): boolean => isGlob || /^\.{1,2}(?:$|\/)|^:[/(!]|\/$|^\//.test(text);

/** `next.js` is the name of a branch or of a file. */
const mayBePath = ({ text }: Word): boolean =>
  /\.[a-z][a-z\d]{0,5}$/i.test(text) && !/\d\.x$/i.test(text) && !BRANCH_PREFIX.test(text);

/** `docs/` and `test/` are not here: they are folders as often as prefixes. */
const BRANCH_PREFIX =
  /^(?:feat|feature|fix|bug|bugfix|hotfix|release|chore|refactor|perf|dependabot|renovate|users?|origin|upstream)\//;

const SHARED_BRANCH = /^(?:main|master|trunk|develop|development|production|release(?:[/-].*)?)$/;

/** True if a push names a branch that others use. */
export const pushesSharedBranch = ({ operands }: CommandLine): boolean =>
  operands.slice(2).some(({ word }) => SHARED_BRANCH.test(destinationOf(word.text)));

/** `main` of `+HEAD:refs/heads/main`. */
const destinationOf = (reference: string): string =>
  reference.slice(reference.lastIndexOf(":") + 1).replace(/^\+?(?:refs\/heads\/)?/, "");
