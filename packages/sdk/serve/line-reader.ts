/** One line of a stream; `too-long`: it exceeded the limit and was discarded. */
export type Line = { readonly kind: "line"; readonly bytes: Uint8Array } | { readonly kind: "too-long" };

/** Splits a stream of bytes into lines. Lines are read one by one, so that a reader can stop early. */
export interface LineReader {
  /** Adds a chunk. Call it only when `next` has returned null. */
  readonly push: (chunk: Uint8Array) => void;
  /** The next line without its end; null: more bytes are needed. */
  readonly next: () => Line | null;
  /** The unterminated rest of the stream, or null. */
  readonly end: () => Line | null;
}

const LINE_FEED = 10;
const NOTHING = Buffer.alloc(0);

export function createLineReader(limitBytes: number): LineReader {
  let chunk: Buffer = NOTHING;
  /** The part of a line that came with earlier chunks. It doubles when it is full, so that a line costs linear time. */
  let kept: Buffer = NOTHING;
  let keptBytes = 0;
  let isSkipping = false;

  const keep = (part: Uint8Array): void => {
    if (keptBytes + part.length > kept.length) {
      const larger = Buffer.allocUnsafe(Math.min(limitBytes, Math.max(2 * kept.length, keptBytes + part.length)));
      kept.copy(larger, 0, 0, keptBytes);
      kept = larger;
    }
    kept.set(part, keptBytes);
    keptBytes += part.length;
  };
  const forget = (): void => {
    kept = NOTHING;
    keptBytes = 0;
  };
  const skipped = (): Line => {
    forget();
    return { kind: "too-long" };
  };
  const whole = (part: Buffer): Line => {
    if (keptBytes === 0) return { kind: "line", bytes: part };
    keep(part);
    const bytes = kept.subarray(0, keptBytes);
    forget();
    return { kind: "line", bytes };
  };
  const next = (): Line | null => {
    const at = chunk.indexOf(LINE_FEED);
    const part = at < 0 ? chunk : chunk.subarray(0, at);
    chunk = at < 0 ? NOTHING : chunk.subarray(at + 1);
    if (isSkipping) {
      isSkipping = at < 0;
      return isSkipping ? null : next();
    }
    if (keptBytes + part.length > limitBytes) {
      isSkipping = at < 0;
      return skipped();
    }
    if (at >= 0) return whole(part);
    if (part.length > 0) keep(part);
    return null;
  };
  return {
    push: (bytes) => {
      chunk = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    },
    next,
    end: () => (keptBytes === 0 ? null : whole(NOTHING)),
  };
}
