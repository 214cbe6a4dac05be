import { join } from "node:path";
import { isInside } from "../../fs/paths.ts";

/** How a text names a file. */
export interface FileMention {
  readonly projectDir: string;
  readonly text: string;
  readonly word: string;
  /** The text loads or starts it. */
  readonly isLoaded: boolean;
}

const CODE = /\.(?:[cm]?[jt]sx?|py[cdw]?|rb|p[lm]|php|lua|(?:ba|da|z|k|a)?sh|so|node|wasm|jar|exe)$/i;
const ASSIGNED = /^\s*(?:(?:export|const|let|var|local|readonly|my|our)\s+)*\$?(\w+)\s*(?::[^=]*)?=/;
const APPENDS = />>|\btee\s+(?:-a|--append)\b|append|["'`]a[bt+]{0,2}["'`]/i;

/**
 * Is it a file that hooks write themselves? It is no part of an approval, or a hook would be changed by its own writing.
 * Code always is a part, and so is whatever a text loads or starts: nothing runs only because it lies among the data.
 */
export function isWrittenByHooks(path: string, { projectDir, text, word, isLoaded }: FileMention): boolean {
  if (isLoaded || CODE.test(path)) return false;
  if (isInside(join(projectDir, ".kodelet", "state"), path) || /\.log$/i.test(path)) return true;
  // Rules may stand in lines of JSON as well, so these are a log only where the text appends to them.
  return /\.(?:jsonl|ndjson)$/i.test(path) && appends(text, word);
}

/** Does a text append to the file of this name, by the name itself or by the variable that holds it? */
function appends(text: string, word: string): boolean {
  const lines = text.split("\n");
  const named = lines.filter((line) => line.includes(word));
  const variables = new Set(named.flatMap((line) => ASSIGNED.exec(line)?.[1] ?? []));
  const isMeant = (line: string): boolean => line.includes(word) || line.split(/\W+/).some((one) => variables.has(one));
  return lines.some((line) => APPENDS.test(line) && isMeant(line));
}
