import { createRequire } from "node:module";
import type * as Unbash from "unbash";

let loaded: typeof Unbash | null = null;

/** The shell parser, loaded on first use: it takes 20 ms, and approved hooks do not need it. */
export function shellParser(): typeof Unbash {
  loaded ??= createRequire(import.meta.url)("unbash") as typeof Unbash;
  return loaded;
}
