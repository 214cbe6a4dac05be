import type { Word } from "../../command/call.ts";
import { type CommandLine, hasForm, hasOption } from "../command-lines.ts";

/** True if `git checkout` replaces files: `checkout .`, `checkout HEAD file`, `checkout file.txt`; else it changes the branch. */
export function replacesFiles(line: CommandLine): boolean {
  if (!hasForm(line, "checkout *") || hasOption(line, "-b", "-B", "--orphan", "-t", "--track", "--detach"))
    return false;
  const [, first, second] = line.operands;
  return second !== undefined || (first !== undefined && isPath(first.word));
}

/** A branch may have the name of a path, but seldom has. */
function isPath({ text, isGlob }: Word): boolean {
  if (isGlob || /^\.{1,2}(?:$|\/)|^:[/(!]|\/$|^\//.test(text)) return true;
  return /\.[a-z][a-z\d]{0,5}$/i.test(text) && !/\d\.x$/i.test(text);
}

const SHARED_BRANCH = /^(?:main|master|trunk|develop|development|production|release(?:[/-].*)?)$/;

/** True if a push names a branch that others use. */
export const pushesSharedBranch = ({ operands }: CommandLine): boolean =>
  operands.slice(2).some(({ word }) => SHARED_BRANCH.test(destinationOf(word.text)));

/** `main` of `+HEAD:refs/heads/main`. */
const destinationOf = (reference: string): string =>
  reference.slice(reference.lastIndexOf(":") + 1).replace(/^\+?(?:refs\/heads\/)?/, "");
