import { resolve } from "node:path";
import { isPathArgument } from "../protocol/command-line.ts";

/** Does a word of the command line mean this hook? A name means every hook of that name, a path the one that is there. */
export const matchesHookArgument = (
  word: string,
  hook: { readonly name: string; readonly path: string },
  cwd: string,
): boolean => (isPathArgument(word) ? resolve(cwd, word) === hook.path : word === hook.name);
