import { newRunId } from "../../../src/audit/run-stamp.ts";
import type { Host } from "../../../src/engine/host.ts";
import {
  type ProcessOutcome,
  type ProcessRequest,
  processRequest,
  withNewToken,
} from "../../../src/process/process-request.ts";
import { runProcess } from "../../../src/process/run-process.ts";

/** Runs a program for hookctl itself, which may take 20 s. */
export const runForHookctl = (
  request: Pick<ProcessRequest, "file" | "args" | "cwd" | "env" | "stdoutLimitBytes"> & { readonly input?: string },
  host: Host,
): Promise<ProcessOutcome> =>
  runProcess(
    processRequest({
      ...request,
      env: withNewToken(request.env, newRunId(host.nowMs(), host.random)),
      timeoutMs: 20_000,
      interrupt: host.interrupt,
    }),
  );
