import { closeSync, constants, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { makeFolder } from "../fs/write-file.ts";
import { errnoCode } from "../protocol/errno.ts";
import { fail, ok } from "../protocol/result.ts";
import { SIGNALS, type Signal } from "./otlp.ts";
import type { Sink } from "./sink.ts";

const WRITING = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_NOFOLLOW;

/** Writes each kind of telemetry to a file of its own, one request a line, as OpenTelemetry's file format has it. */
export function folderSink(folder: string): Sink {
  const open: Partial<Record<Signal, number>> = {};
  return {
    name: folder,
    send: async ({ signal, body }) => {
      const path = join(folder, `${signal}.jsonl`);
      try {
        makeFolder(folder);
        open[signal] ??= openSync(path, WRITING, 0o600);
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
