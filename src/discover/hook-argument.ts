import { resolve } from "node:path";
import { isPathArgument } from "../protocol/text/shell-quote.ts";

/** True if a command line argument names this hook: by its name, or by its path. */
export const matchesHookArgument = (
  word: string,
  hook: { readonly name: string; readonly path: string },
  cwd: string,
): boolean => (isPathArgument(word) ? resolve(cwd, word) === hook.path : word === hook.name);
