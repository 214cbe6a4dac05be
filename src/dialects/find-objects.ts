import { type JsonMember, readObjectAt } from "../protocol/json/read.ts";

export interface FoundObjects {
  /** The members of each, as far as they can be read. */
  readonly objects: readonly (readonly JsonMember[])[];
  /** There is one object, nothing is wrong with it, and nothing stands around it. */
  readonly isWhole: boolean;
}

/**
 * The JSON objects in a text: one that begins it, or a line of it, or stands behind another. Each part of the text is
 * read once, so that no text takes more than linear time.
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

/** The first sign of the next line. */
function nextLineStart(text: string, at: number): number {
  const end = text.indexOf("\n", at);
  return end === -1 ? text.length : skipSeparators(text, end);
}

/** The next sign that is not white space, a comma between two objects included. */
function skipSeparators(text: string, from: number): number {
  for (let at = from; ; at++) if (!/[\s,\ufeff]/.test(text[at] ?? "")) return at;
}
