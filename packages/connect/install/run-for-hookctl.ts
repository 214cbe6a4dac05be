import { newRunId } from "../../../src/audit/run-stamp.ts";
import type { Host } from "../../../src/engine/host.ts";
import {
  type Interrupt,
  type ProcessOutcome,
  type ProcessRequest,
  processRequest,
  withNewToken,
} from "../../../src/process/process-request.ts";
import { runProcess } from "../../../src/process/run-process.ts";

/** The signals of a program that hookctl starts for itself; a person who waits for it is told the purpose. */
export const interruptFor = (purpose: string, { interrupt }: Host): Interrupt => ({
  ...interrupt,
  listen: (onInterrupt, program) => interrupt.listen(onInterrupt, program && { ...program, purpose }),
});

interface OwnRequest extends Pick<ProcessRequest, "file" | "args" | "cwd" | "env" | "stdoutLimitBytes"> {
  readonly input?: string;
}

/** Runs a program for hookctl itself, which may take 20 s. */
export const runForHookctl = (purpose: string, request: OwnRequest, host: Host): Promise<ProcessOutcome> =>
  runProcess(
    processRequest({
      ...request,
      env: withNewToken(request.env, newRunId(host.nowMs(), host.random)),
      timeoutMs: 20_000,
      interrupt: interruptFor(purpose, host),
    }),
  );
