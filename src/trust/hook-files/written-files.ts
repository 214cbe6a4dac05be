import { join } from "node:path";
import { isInside } from "../../fs/paths.ts";

/** A file name in a text. */
export interface FileMention {
  readonly projectDir: string;
  readonly text: string;
  readonly word: string;
  /** The text loads or starts the file. */
  readonly isLoaded: boolean;
}

const CODE = /\.(?:[cm]?[jt]sx?|py[cdw]?|rb|p[lm]|php|lua|(?:ba|da|z|k|a)?sh|so|node|wasm|jar|exe)$/i;
const ASSIGNED = /^\s*(?:(?:export|const|let|var|local|readonly|my|our)\s+)*\$?(\w+)\s*(?::[^=]*)?=/;
const APPENDS = />>|\btee\s+(?:-a|--append)\b|append|["'`]a[bt+]{0,2}["'`]/i;

/**
 * True for a data file that hooks write themselves, such as a log. It is not part of an approval, or a hook would change
 * itself by writing it. Code is always part of the approval, and so is every file that a text loads or starts.
 */
export function isWrittenByHooks(path: string, { projectDir, text, word, isLoaded }: FileMention): boolean {
  if (isLoaded || CODE.test(path)) return false;
  if (isInside(join(projectDir, ".kodelet", "state"), path) || /\.log$/i.test(path)) return true;
  // A JSON Lines file may also hold rules, so it is a log only if the text appends to it.
  return /\.(?:jsonl|ndjson)$/i.test(path) && appends(text, word);
}

/** True if a text appends to the file, by its name or by a variable that holds the name. */
function appends(text: string, word: string): boolean {
  const lines = text.split("\n");
  const named = lines.filter((line) => line.includes(word));
  const variables = new Set(named.flatMap((line) => ASSIGNED.exec(line)?.[1] ?? []));
  const isMeant = (line: string): boolean => line.includes(word) || line.split(/\W+/).some((one) => variables.has(one));
  return lines.some((line) => APPENDS.test(line) && isMeant(line));
}
