import { createRequire } from "node:module";
import type * as Unbash from "unbash";

let loaded: typeof Unbash | null = null;
let load = (): typeof Unbash => createRequire(import.meta.url)("unbash") as typeof Unbash;

/** The shell parser, loaded on first use: approved hooks do not need it. */
export function shellParser(): typeof Unbash {
  loaded ??= load();
  return loaded;
}

/** For the native executable, in which only what was built into it can be required. */
export function provideShellParser(require: () => typeof Unbash): void {
  load = require;
}

/** Loads the parser beforehand. In the bundle of the hot path this takes a fifth of the time. */
export async function loadShellParser(): Promise<void> {
  loaded ??= await import("unbash");
}
