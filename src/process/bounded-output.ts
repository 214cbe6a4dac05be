import { pluralize } from "../protocol/text/count.ts";

const KEPT_BYTES = 32 * 1024;
const NOTHING = Buffer.alloc(0);

/** Keeps the first and the last 32 KiB of a stream, so that endless noise costs no memory. */
export function headAndTail(): { readonly add: (chunk: Buffer) => void; readonly text: () => string } {
  let head = NOTHING;
  let tail = NOTHING;
  let dropped = 0;
  const add = (chunk: Buffer): void => {
    const room = KEPT_BYTES - head.length;
    if (room > 0) head = Buffer.concat([head, chunk.subarray(0, room)]);
    const rest = chunk.subarray(Math.max(room, 0));
    if (rest.length === 0) return;
    const joined = rest.length >= KEPT_BYTES ? rest : Buffer.concat([tail, rest]);
    dropped += tail.length + rest.length;
    tail = Buffer.from(joined.subarray(-KEPT_BYTES));
    dropped -= tail.length;
  };
  const text = (): string => {
    if (head.length === 0) return "";
    // Joined first, because the limit may have split a character.
    if (dropped === 0) return Buffer.concat([head, tail]).toString("utf8");
    // Words next to the cut are dropped, because part of a secret there could not be recognised and redacted.
    const first = head.toString("utf8").replace(/(?:\s{1,4}\S{1,4096}){1,4}\s{0,4}$/, "");
    const last = tail.toString("utf8").replace(/^\s{0,4}(?:\S{1,4096}\s{1,4}){1,4}/, "");
    return `${first}\n… ${pluralize(dropped, "byte")} omitted …\n${last}`;
  };
  return { add, text };
}

/** Bytes stored of a stream without a limit: nobody uses the content, which is read only so that the child can go on. */
const UNLIMITED_KEPT_BYTES = 1024 * 1024;

/** Collects a stream up to a limit; `isOver` is true if there was more. */
export function limitedBuffer(limitBytes: number): {
  readonly add: (chunk: Buffer) => void;
  readonly bytes: () => Uint8Array;
  readonly isOver: () => boolean;
} {
  const keptBytes = Number.isFinite(limitBytes) ? limitBytes : UNLIMITED_KEPT_BYTES;
  const chunks: Buffer[] = [];
  let size = 0;
  const add = (chunk: Buffer): void => {
    // Output before the limit may be a block, so it is stored.
    if (size < keptBytes) chunks.push(chunk.subarray(0, keptBytes - size));
    size += chunk.length;
  };
  const bytes = (): Uint8Array => (chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks));
  return { add, bytes, isOver: () => size > limitBytes };
}

const NEW_LINE = 0x0a;

/** Splits a stream into lines. The limit applies to the bytes since the last `restart`; beyond it nothing is stored. */
export function lineReader(
  limitBytes: number,
  onLine: (line: string) => void,
): { readonly add: (chunk: Buffer) => void; readonly isOver: () => boolean; readonly restart: () => void } {
  let partialLine: Buffer[] = [];
  let size = 0;
  const add = (chunk: Buffer): void => {
    size += chunk.length;
    if (size > limitBytes) partialLine = [];
    if (size > limitBytes) return;
    let from = 0;
    for (let end = chunk.indexOf(NEW_LINE); end >= 0; end = chunk.indexOf(NEW_LINE, from)) {
      onLine(Buffer.concat([...partialLine, chunk.subarray(from, end)]).toString("utf8"));
      partialLine = [];
      from = end + 1;
    }
    if (from < chunk.length) partialLine.push(chunk.subarray(from));
  };
  return {
    add,
    isOver: () => size > limitBytes,
    restart: () => {
      size = 0;
    },
  };
}
