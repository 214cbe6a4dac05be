import { closeSync, constants, openSync } from "node:fs";
import { join } from "node:path";
import { writeAll } from "../../../src/fs/write-all.ts";
import { makeFolder } from "../../../src/fs/write-file.ts";
import { outputFault } from "../../../src/fs/write-output.ts";
import { errnoCode } from "../../../src/protocol/errno.ts";
import { isProblemError, ProblemError } from "../../../src/protocol/result.ts";
import type { Signal } from "./otlp.ts";

/** The result of one request. */
export interface Delivered {
  /** Items that the receiver will never take. */
  readonly rejected: number;
  /** The collector's message about rejected items or its warning; null if it sent none. */
  readonly message: string | null;
}

/** One request: its body, and the number of items in it. */
export interface Delivery {
  readonly signal: Signal;
  readonly body: object;
  readonly count: number;
}

/** The destination of telemetry. */
export interface Sink {
  /** The name to show to people. */
  readonly name: string;
  /** Throws if nothing was accepted and the same request may be sent again. */
  readonly send: (delivery: Delivery) => Promise<Delivered>;
  readonly close: () => void;
}

const WRITING = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_NOFOLLOW;

/** Writes each signal to a separate file, one request per line, in OpenTelemetry's file format. */
export function folderSink(folder: string): Sink {
  const open = new Map<Signal, number>();
  return {
    name: folder,
    send: async ({ signal, body }) => {
      const path = join(folder, `${signal}.jsonl`);
      const notWritten = (cause: string): ProblemError => new ProblemError({ code: "FILE_NOT_WRITTEN", path, cause });
      try {
        makeFolder(folder);
        const fault = open.has(signal) ? null : outputFault(path);
        if (fault !== null) throw notWritten(fault);
        const descriptor = open.get(signal) ?? openSync(path, WRITING, 0o600);
        open.set(signal, descriptor);
        const cause = writeAll(descriptor, `${JSON.stringify(body)}\n`);
        if (cause !== null) throw notWritten(cause);
        return { rejected: 0, message: null };
      } catch (error) {
        throw isProblemError(error) ? error : notWritten(errnoCode(error) ?? "unknown");
      }
    },
    close: () => open.forEach((descriptor) => void closeSync(descriptor)),
  };
}
