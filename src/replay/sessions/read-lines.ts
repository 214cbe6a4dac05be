import { readSync } from "node:fs";

/** One line of a file, or the mark that one was too long to be read. */
export type FileLine = { readonly number: number; readonly bytes: Buffer | null };

const CHUNK_BYTES = 1024 * 1024;
/** A whole session of an agent that writes a single JSON value is one line here. */
export const LONGEST_LINE_BYTES = 64 * 1024 * 1024;
const NEWLINE = 0x0a;

/** Reads a file line by line in bounded memory. The bytes of a line are only valid until the next one is asked for. */
export function* readLines(descriptor: number, longest = LONGEST_LINE_BYTES): Generator<FileLine> {
  const chunk = Buffer.alloc(CHUNK_BYTES);
  let rest: Buffer[] = [];
  let restBytes = 0;
  let number = 1;
  for (;;) {
    const count = readSync(descriptor, chunk, 0, CHUNK_BYTES, null);
    if (count === 0) break;
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1 && end < count; end = chunk.indexOf(NEWLINE, start)) {
      const part = chunk.subarray(start, end);
      yield { number: number++, bytes: joined(rest, part, restBytes, longest) };
      rest = [];
      restBytes = 0;
      start = end + 1;
    }
    restBytes += count - start;
    // Of a line that is too long nothing is kept.
    if (restBytes > longest) rest = [];
    else if (start < count) rest.push(Buffer.from(chunk.subarray(start, count)));
  }
  if (restBytes > 0) yield { number, bytes: joined(rest, Buffer.alloc(0), restBytes, longest) };
}

const joined = (rest: readonly Buffer[], last: Buffer, restBytes: number, longest: number): Buffer | null =>
  restBytes + last.length > longest ? null : rest.length === 0 ? last : Buffer.concat([...rest, last]);
