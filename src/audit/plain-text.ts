import { type LongWord, longWords, mayBeToken } from "../redact/long-words.ts";
import { base64Parts, textOffsets } from "./base64-parts.ts";
import clues from "./plain-text.json" with { type: "json" };
import { MIN_SECRET_LENGTH, secretNamesIn, writtenForms } from "./secret-values.ts";

/** A longer text is left to the redactor. */
const LONGEST = 4096;

/** Parts of the texts that the redactor changes, in lower case: in any text, or in a text with `:` or `=`. */
const { anywhere, besideSeparator } = clues;

/**
 * Returns a function that is true only for texts that the redactor of the same environment does not change. It loads a small
 * part of the redactor's code, which is enough for most calls.
 */
export function plainTexts(env: Readonly<Record<string, string | undefined>>): (text: string) => boolean {
  // Names that are only likely to be of secrets are included.
  const values = Object.keys(env)
    .filter(secretNamesIn(env))
    .map((name) => env[name] ?? "");
  const secrets = values.filter(({ length }) => length >= MIN_SECRET_LENGTH).flatMap(writtenForms);
  return (text) =>
    text.length < MIN_SECRET_LENGTH ||
    (text.length <= LONGEST &&
      !hasClue(text) &&
      !secrets.some((secret) => text.includes(secret)) &&
      hasPlainWords(text));
}

function hasClue(text: string): boolean {
  const lower = text.toLowerCase();
  const isIn = (clue: string): boolean => lower.includes(clue);
  if (isIn("%") || anywhere.some(isIn)) return true;
  return (isIn(":") || isIn("=")) && besideSeparator.some(isIn);
}

/** True if no word is a token, or a text in base64. */
function hasPlainWords(text: string): boolean {
  const isText = (part: LongWord): boolean => textOffsets(text, part).length > 0;
  const words = longWords(text);
  return !words.some((word) => mayBeToken(text, word)) && !base64Parts(text, words).some(isText);
}
