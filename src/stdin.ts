import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import type { StdinLimits, StdinOutcome } from "./engine/host.ts";
import { pause } from "./fs/write-all.ts";
import { errnoCode } from "./protocol/errno.ts";
import { TERMINATION_SIGNALS } from "./protocol/exit-code.ts";

const CHUNK_BYTES = 64 * 1024;
const GROWTH = 16;
/** How long a pipe is polled before the event loop takes over: most callers have written by the time we start. */
const POLL_MS = 40;
/** The longest delay of a timer; a longer one overflows. */
const LONGEST_MS = 2 ** 31 - 1;

/** The bytes that were read: the first `size` of the buffer. */
interface Input {
  buffer: Buffer;
  size: number;
}

/** Reads stdin to its end. Files and pipes with data in them are read without loading Node's streams (1-3 ms). */
export async function readStdin(nodeProcess: NodeJS.Process, limits: StdinLimits): Promise<StdinOutcome> {
  const input: Input = { buffer: Buffer.allocUnsafe(Math.min(CHUNK_BYTES, limits.bytes + 1)), size: 0 };
  const quick = readAtOnce(input, limits.bytes);
  return quick ?? readStream(nodeProcess, input, limits);
}

/** Makes room for some bytes. The memory of a large buffer is used only where it is written. */
function makeRoom(input: Input, bytes: number, limitBytes: number): void {
  const { buffer, size } = input;
  if (size + bytes <= buffer.length) return;
  input.buffer = Buffer.allocUnsafeSlow(Math.max(size + bytes, Math.min(GROWTH * buffer.length, limitBytes + 1)));
  buffer.copy(input.buffer, 0, 0, size);
}

/** Reads what is there already; null if the rest needs the event loop. */
function readAtOnce(input: Input, limitBytes: number): StdinOutcome | null {
  try {
    const stats = fstatSync(0);
    if (stats.isDirectory()) return { kind: "unreadable", cause: "EISDIR" };
    if (stats.isFile()) return drain(0, input, limitBytes);
    return stats.isFIFO() ? readPipe(input, limitBytes) : null;
  } catch (error) {
    const code = errnoCode(error);
    return code === "EAGAIN" ? null : { kind: "unreadable", cause: code ?? "unknown" };
  }
}

/** Opens the pipe a second time as non-blocking, because the flag would also change the caller's end. */
function readPipe(input: Input, limitBytes: number): StdinOutcome | null {
  const descriptor = openAgain();
  if (descriptor === null) return null;
  try {
    return drain(descriptor, input, limitBytes);
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

function drain(descriptor: number, input: Input, limitBytes: number): StdinOutcome {
  const patience = { leftMs: POLL_MS };
  for (; input.size <= limitBytes; makeRoom(input, 1, limitBytes)) {
    const count = readPatiently(descriptor, input, patience);
    if (count === 0) return { kind: "read", bytes: input.buffer.subarray(0, input.size) };
    input.size += count;
  }
  return { kind: "too-large" };
}

/** The polling time is shared by all reads: a writer that sends a byte now and then must not extend it. */
function readPatiently(descriptor: number, { buffer, size }: Input, patience: { leftMs: number }): number {
  for (; ; patience.leftMs -= 2) {
    try {
      return readSync(descriptor, buffer, size, buffer.length - size, null);
    } catch (error) {
      if (errnoCode(error) !== "EAGAIN" || patience.leftMs <= 0) throw error;
      pause(2);
    }
  }
}

async function readStream(
  nodeProcess: NodeJS.Process,
  input: Input,
  { bytes, firstByteMs, endMs }: StdinLimits,
): Promise<StdinOutcome> {
  const { stdin } = nodeProcess;
  const stream: AsyncIterable<Uint8Array> = stdin;
  const readToEnd = async (): Promise<StdinOutcome> => {
    try {
      for await (const chunk of stream) {
        if (input.size + chunk.length > bytes) return { kind: "too-large" };
        makeRoom(input, chunk.length, bytes);
        input.buffer.set(chunk, input.size);
        input.size += chunk.length;
      }
      return { kind: "read", bytes: input.buffer.subarray(0, input.size) };
    } catch (error) {
      return { kind: "unreadable", cause: errnoCode(error) ?? "unknown" };
    }
  };
  const cut = cutOff(nodeProcess, () => input.size === 0, { firstByteMs, endMs });
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
