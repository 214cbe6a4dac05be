import { type JsonMember, readObjectAt } from "../../protocol/json/read.ts";

export interface FoundObjects {
  /** The readable members of each object. */
  readonly objects: readonly (readonly JsonMember[])[];
  /** True if the text is exactly one valid object. */
  readonly isWhole: boolean;
}

/**
 * Finds the JSON objects that begin the text or a line of it, or follow another object. Each part of the text is read once,
 * in linear time.
 */
export function findObjects(text: string): FoundObjects {
  const objects: (readonly JsonMember[])[] = [];
  const first = skipSeparators(text, 0);
  let isWhole = text[first] === "{";
  for (let at = first; at < text.length; ) {
    if (text[at] !== "{") {
      isWhole = false;
      at = nextLineStart(text, at);
      continue;
    }
    const { members, fault, end } = readObjectAt(text, at);
    if (members.length > 0) objects.push(members);
    isWhole &&= fault === null && text.slice(end).trim() === "";
    at = fault === null ? skipSeparators(text, end) : nextLineStart(text, Math.max(end, at));
  }
  return { objects, isWhole };
}

/** Returns the first character of the next line that is not a separator. */
function nextLineStart(text: string, at: number): number {
  const end = text.indexOf("\n", at);
  return end === -1 ? text.length : skipSeparators(text, end);
}

/** Skips white space and commas between objects. */
function skipSeparators(text: string, from: number): number {
  for (let at = from; ; at++) if (!/[\s,\ufeff]/.test(text[at] ?? "")) return at;
}
