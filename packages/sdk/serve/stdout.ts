import { createWriteStream, fstatSync } from "node:fs";
import { Socket } from "node:net";
import { Writable } from "node:stream";

/**
 * Opens stdout as a stream that never blocks. `process.stdout` blocks until the reader of a pipe has read, and meanwhile hooks
 * would exceed their timeouts. For a file, which has no reader, a normal stream is used.
 */
export function openStdout(): Writable {
  const stats = fstatSync(1);
  if (!stats.isFIFO() && !stats.isSocket()) return createWriteStream("", { fd: 1, autoClose: false });
  return bun === undefined ? new Socket({ fd: 1, readable: false, writable: true }) : streamInto(bun.file(1).writer());
}

/** Settles when everything is written, or nobody reads it. Stdout stays open: the next file would get its descriptor. */
export const written = (output: Writable): Promise<void> =>
  new Promise((settle) => {
    if (output.destroyed) return settle();
    output.on("close", settle);
    output.write("", () => settle());
  });

interface Sink {
  readonly write: (bytes: Uint8Array) => unknown;
  /** Returns a promise if the reader must read first. */
  readonly flush: () => unknown;
}

/** The runtime of the native executable. Its `Socket` blocks until the reader has read. */
const { Bun: bun } = globalThis as {
  readonly Bun?: { readonly file: (fd: number) => { readonly writer: () => Sink } };
};

/** A stream into a sink that buffers what its reader has not read yet. */
export function streamInto(sink: Sink): Writable {
  const write = async (bytes: Uint8Array, done: (error?: Error | null) => void): Promise<void> => {
    try {
      sink.write(bytes);
      await sink.flush();
      done();
    } catch (error) {
      done(error instanceof Error ? error : new Error(String(error)));
    }
  };
  return new Writable({
    write: (chunk: Buffer, _encoding, done) => void write(chunk, done),
    writev: (parts, done) => void write(Buffer.concat(parts.map(({ chunk }) => chunk as Buffer)), done),
  });
}
