/** One line of a stream. A line that is `too-long` was discarded. */
export type Line = { readonly kind: "line"; readonly bytes: Uint8Array } | { readonly kind: "too-long" };

/** Splits a stream of bytes into lines. Lines are read one by one, so that a reader can stop early. */
export interface LineReader {
  /** Adds a chunk. Call it only when `next` has returned null. */
  readonly push: (chunk: Uint8Array) => void;
  /** The next line without its end; null if more bytes are needed. */
  readonly next: () => Line | null;
  /** The unterminated rest of the stream, or null. */
  readonly end: () => Line | null;
}

const LINE_FEED = 10;
const NOTHING = Buffer.alloc(0);

export function createLineReader(limitBytes: number): LineReader {
  let chunk: Buffer = NOTHING;
  /** The part of a line in earlier chunks. The buffer doubles when it is full, so that a line costs linear time. */
  let buffer: Buffer = NOTHING;
  let usedBytes = 0;
  let isSkipping = false;

  const append = (part: Uint8Array): void => {
    const neededBytes = usedBytes + part.length;
    if (neededBytes > buffer.length) {
      const larger = Buffer.allocUnsafe(Math.min(limitBytes, Math.max(2 * buffer.length, neededBytes)));
      buffer.copy(larger, 0, 0, usedBytes);
      buffer = larger;
    }
    buffer.set(part, usedBytes);
    usedBytes = neededBytes;
  };
  const clear = (): void => {
    buffer = NOTHING;
    usedBytes = 0;
  };
  const completed = (part: Buffer): Line => {
    if (usedBytes === 0) return { kind: "line", bytes: part };
    append(part);
    const bytes = buffer.subarray(0, usedBytes);
    clear();
    return { kind: "line", bytes };
  };
  const next = (): Line | null => {
    const at = chunk.indexOf(LINE_FEED);
    const hasEnd = at >= 0;
    const part = hasEnd ? chunk.subarray(0, at) : chunk;
    chunk = hasEnd ? chunk.subarray(at + 1) : NOTHING;
    if (isSkipping) {
      isSkipping = !hasEnd;
      return isSkipping ? null : next();
    }
    if (usedBytes + part.length > limitBytes) {
      isSkipping = !hasEnd;
      clear();
      return { kind: "too-long" };
    }
    if (hasEnd) return completed(part);
    if (part.length > 0) append(part);
    return null;
  };
  return {
    push: (bytes) => {
      chunk = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    },
    next,
    end: () => (usedBytes === 0 ? null : completed(NOTHING)),
  };
}
