import type * as Unbash from "unbash";
import { isPlainCommand, plainScript } from "./plain-command.ts";

let loaded: typeof Unbash | null = null;

/** The shell parser, loaded on first use: approved hooks do not need it. */
export function shellParser(): typeof Unbash {
  // Node's modules for modules take 1 ms to load, which most calls do without.
  loaded ??= process.getBuiltinModule("node:module").createRequire(import.meta.url)("unbash") as typeof Unbash;
  return loaded;
}

/** Parses a text. The parser is loaded only if the text needs it. */
export const parseShell = (text: string): Unbash.ParsedScript =>
  isPlainCommand(text) ? plainScript(text) : shellParser().parse(text);

/** Loads the parser beforehand. In the bundle of the hot path this takes a fifth of the time. */
export async function loadShellParser(): Promise<void> {
  loaded ??= await import("unbash");
}

/**
 * Reads shell texts. If that fails before the parser is loaded, loads it and reads them again: `eval time rm x` needs no
 * parser, but the `time rm x` in it does, and not every version of Node can load it at that moment.
 */
export async function withShellParser<T>(read: () => T): Promise<T> {
  try {
    return read();
  } catch (error) {
    if (loaded !== null) throw error;
    await loadShellParser();
    return read();
  }
}
