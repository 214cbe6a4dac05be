import { createRequire } from "node:module";
import type * as Unbash from "unbash";

let loaded: typeof Unbash | null = null;

/** The shell parser, loaded on first use: approved hooks do not need it. */
export function shellParser(): typeof Unbash {
  loaded ??= createRequire(import.meta.url)("unbash") as typeof Unbash;
  return loaded;
}

/** Loads the parser beforehand. In the bundle of the hot path this takes a fifth of the time. */
export async function loadShellParser(): Promise<void> {
  loaded ??= await import("unbash");
}
