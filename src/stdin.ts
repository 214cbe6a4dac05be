import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import type { StdinLimits, StdinOutcome } from "./engine/host.ts";
import { pause } from "./fs/write-all.ts";
import { errnoCode } from "./protocol/errno.ts";
import { TERMINATION_SIGNALS } from "./protocol/exit-code.ts";

const CHUNK_BYTES = 64 * 1024;
/** How long a pipe is polled before the event loop takes over: most callers have written by the time we start. */
const POLL_MS = 40;
/** The longest delay of a timer; a longer one overflows. */
const LONGEST_MS = 2 ** 31 - 1;

/** Reads stdin to its end. Files and pipes with data in them are read without loading Node's streams (1-3 ms). */
export async function readStdin(nodeProcess: NodeJS.Process, limits: StdinLimits): Promise<StdinOutcome> {
  const chunks: Buffer[] = [];
  const quick = readAtOnce(chunks, limits.bytes);
  return quick ?? readStream(nodeProcess, chunks, limits);
}

/** Reads what is there already; null if the rest needs the event loop. */
function readAtOnce(chunks: Buffer[], limitBytes: number): StdinOutcome | null {
  try {
    const stats = fstatSync(0);
    if (stats.isDirectory()) return { kind: "unreadable", cause: "EISDIR" };
    if (stats.isFile()) return drain(0, stats.size + 1, chunks, limitBytes);
    return stats.isFIFO() ? readPipe(chunks, limitBytes) : null;
  } catch (error) {
    const code = errnoCode(error);
    return code === "EAGAIN" ? null : { kind: "unreadable", cause: code ?? "unknown" };
  }
}

/** Opens the pipe a second time as non-blocking, because the flag would also change the caller's end. */
function readPipe(chunks: Buffer[], limitBytes: number): StdinOutcome | null {
  const descriptor = openAgain();
  if (descriptor === null) return null;
  try {
    return drain(descriptor, CHUNK_BYTES, chunks, limitBytes);
  } finally {
    closeSync(descriptor);
  }
}

function openAgain(): number | null {
  try {
    return openSync("/proc/self/fd/0", constants.O_RDONLY | constants.O_NONBLOCK);
  } catch {
    return null;
  }
}

function drain(descriptor: number, chunkBytes: number, chunks: Buffer[], limitBytes: number): StdinOutcome {
  const patience = { leftMs: POLL_MS };
  for (let size = 0; ; ) {
    const chunk = Buffer.allocUnsafe(Math.min(chunkBytes, limitBytes + 1));
    const count = readPatiently(descriptor, chunk, patience);
    if (count === 0) return { kind: "read", bytes: chunks.length === 1 ? (chunks[0] ?? chunk) : Buffer.concat(chunks) };
    size += count;
    if (size > limitBytes) return { kind: "too-large" };
    chunks.push(chunk.subarray(0, count));
  }
}

/** The polling time is shared by all reads: a writer that sends a byte now and then must not extend it. */
function readPatiently(descriptor: number, chunk: Buffer, patience: { leftMs: number }): number {
  for (; ; patience.leftMs -= 2) {
    try {
      return readSync(descriptor, chunk);
    } catch (error) {
      if (errnoCode(error) !== "EAGAIN" || patience.leftMs <= 0) throw error;
      pause(2);
    }
  }
}

async function readStream(
  nodeProcess: NodeJS.Process,
  chunks: Buffer[],
  { bytes, firstByteMs, endMs }: StdinLimits,
): Promise<StdinOutcome> {
  const { stdin } = nodeProcess;
  const stream: AsyncIterable<Uint8Array> = stdin;
  let size = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
  const readToEnd = async (): Promise<StdinOutcome> => {
    try {
      for await (const chunk of stream) {
        size += chunk.length;
        if (size > bytes) return { kind: "too-large" };
        chunks.push(Buffer.from(chunk));
      }
      return { kind: "read", bytes: Buffer.concat(chunks) };
    } catch (error) {
      return { kind: "unreadable", cause: errnoCode(error) ?? "unknown" };
    }
  };
  const cut = cutOff(nodeProcess, () => size === 0, { firstByteMs, endMs });
  const outcome = await Promise.race([cut.outcome, readToEnd()]);
  cut.clear();
  stdin.destroy();
  return outcome;
}

/** What ends the reading before the end of stdin does: a timeout or a signal. */
function cutOff(
  nodeProcess: NodeJS.Process,
  isSilent: () => boolean,
  { firstByteMs, endMs }: Omit<StdinLimits, "bytes">,
): { readonly outcome: Promise<StdinOutcome>; readonly clear: () => void } {
  let cut: (outcome: StdinOutcome) => void = () => undefined;
  const outcome = new Promise<StdinOutcome>((resolve) => {
    cut = resolve;
  });
  const onSignal = (signal: NodeJS.Signals): void => cut({ kind: "interrupted", signal });
  const timers = [
    setTimeout(() => (isSilent() ? cut({ kind: "silent" }) : undefined), firstByteMs),
    setTimeout(() => cut({ kind: "unended" }), Math.min(endMs ?? LONGEST_MS, LONGEST_MS)),
  ];
  for (const signal of TERMINATION_SIGNALS) nodeProcess.on(signal, onSignal);
  const clear = (): void => {
    for (const timer of timers) clearTimeout(timer);
    for (const signal of TERMINATION_SIGNALS) nodeProcess.off(signal, onSignal);
  };
  return { outcome, clear };
}
