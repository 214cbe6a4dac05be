import type { Call } from "../../../../src/guards/command/call.ts";
import type { RealCall } from "./real-shell.ts";

/** True if a call of the analysis stands for a real one: an unknown part may be anything, also several words. */
export function explains(call: Call, real: RealCall): boolean {
  if (call.folder !== null && call.folder !== real.folder) return false;
  const words = [call.program, ...call.args.map(({ text }) => text)];
  return patternOf(words).test(real.words.map((word) => `${word}\0`).join(""));
}

const patternOf = (words: readonly string[]): RegExp =>
  new RegExp(
    `^${words.map((word) => (word === "\0" ? "(?:[^\\x00]*\\x00)*" : `${wordPattern(word)}\\x00`)).join("")}$`,
  );

const wordPattern = (word: string): string =>
  word.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&").replace(/\s?\0\s?/g, "[\\s\\S]*");
