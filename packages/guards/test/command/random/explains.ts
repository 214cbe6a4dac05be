import type { Call } from "../../../command/call.ts";
import type { RealCall } from "./real-shell.ts";

/** True if a call of the analysis stands for a real one: an unknown part may be anything, also several words. */
export function explains(call: Call, real: RealCall): boolean {
  if (call.folder !== null && call.folder !== real.folder) return false;
  const words = [call.program, ...call.args.map(({ text }) => text)];
  return patternOf(words).test(real.words.map((word) => `${word}\0`).join(""));
}

const patternOf = (words: readonly string[]): RegExp => new RegExp(`^${words.map(wordPattern).join("")}$`);

/** A word that ends with an unknown part may be one word with the next: that part may be empty. */
function wordPattern(word: string): string {
  if (word === "\0") return "(?:[^\\x00]*\\x00)*";
  const known = word.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&").replace(/\s?\0\s?/g, "[\\s\\S]*");
  return `${known}\\x00${word.endsWith("\0") ? "?" : ""}`;
}
