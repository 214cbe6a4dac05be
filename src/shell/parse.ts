import { createRequire } from "node:module";
import type * as Unbash from "unbash";

let loaded: typeof Unbash | null = null;

/** The shell parser, loaded when a command is looked at: 20 ms that no tool call pays for an approved hook. */
export function shellParser(): typeof Unbash {
  loaded ??= createRequire(import.meta.url)("unbash") as typeof Unbash;
  return loaded;
}
