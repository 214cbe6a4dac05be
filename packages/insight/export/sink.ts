import { closeSync, constants, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { makeFolder } from "../../../src/fs/write-file.ts";
import { outputFault } from "../../../src/fs/write-output.ts";
import { errnoCode } from "../../../src/protocol/errno.ts";
import type { Problem } from "../../../src/protocol/problem.ts";
import { fail, ok, type Result } from "../../../src/protocol/result.ts";
import { SIGNALS, type Signal } from "./otlp.ts";

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

/** The destination of telemetry. A failure means that nothing was accepted and the same request may be retried. */
export interface Sink {
  /** The name to show to people. */
  readonly name: string;
  readonly send: (delivery: Delivery) => Promise<Result<Delivered, Problem>>;
  readonly close: () => void;
}

const WRITING = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_NOFOLLOW;

/** Writes each signal to a separate file, one request per line, in OpenTelemetry's file format. */
export function folderSink(folder: string): Sink {
  const open: Partial<Record<Signal, number>> = {};
  return {
    name: folder,
    send: async ({ signal, body }) => {
      const path = join(folder, `${signal}.jsonl`);
      try {
        makeFolder(folder);
        if (open[signal] === undefined) {
          const cause = outputFault(path);
          if (cause !== null) return fail({ code: "FILE_NOT_WRITTEN", path, cause });
          open[signal] = openSync(path, WRITING, 0o600);
        }
        const text = Buffer.from(`${JSON.stringify(body)}\n`);
        for (let at = 0; at < text.length; ) at += writeSync(open[signal], text, at);
        return ok({ rejected: 0, message: null });
      } catch (error) {
        return fail({ code: "FILE_NOT_WRITTEN", path, cause: errnoCode(error) ?? "unknown" });
      }
    },
    close: () => {
      for (const signal of Object.keys(SIGNALS) as readonly Signal[]) {
        const descriptor = open[signal];
        if (descriptor !== undefined) closeSync(descriptor);
      }
    },
  };
}
