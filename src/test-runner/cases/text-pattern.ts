import { Script } from "node:vm";
import type { ListPattern, TextPattern } from "./test-case.ts";

/** Far longer than any expression takes that does not run away. */
const REGEX_TIMEOUT_MS = 5000;

/** False also for a regular expression that takes seconds: a case must not be able to hang the runner. */
export function fitsText(pattern: TextPattern, text: string): boolean {
  if ("contains" in pattern) return text.includes(pattern.contains);
  const script = new Script('new RegExp(source, "u").test(text)');
  try {
    return script.runInNewContext({ source: pattern.matches, text }, { timeout: REGEX_TIMEOUT_MS }) === true;
  } catch {
    return false;
  }
}

export const fitsList = (pattern: ListPattern, texts: readonly string[]): boolean =>
  isList(pattern) ? JSON.stringify(pattern) === JSON.stringify(texts) : fitsText(pattern, texts.join("\n"));

export const patternText = (pattern: TextPattern): string =>
  "contains" in pattern ? pattern.contains : `/${pattern.matches}/`;

export const listText = (pattern: ListPattern): string =>
  isList(pattern) ? JSON.stringify(pattern) : patternText(pattern);

const isList = (pattern: ListPattern): pattern is readonly string[] => Array.isArray(pattern);
