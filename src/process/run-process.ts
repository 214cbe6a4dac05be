import { headAndTail, limitedBuffer } from "./bounded-output.ts";
import { monotonicMs } from "./clock.ts";
import type { ProcessOutcome, ProcessRequest } from "./process-request.ts";
import { graceMsOf, startChild } from "./start-child.ts";

/** A file that is still being written, or a full process table, is often fine a moment later. */
const RETRY = { codes: ["ETXTBSY", "EAGAIN"], times: 4, pauseMs: 25 };

/** Starts one child and waits for its exit. Never rejects. A timeout or too much output terminates its process group. */
export async function runProcess(request: ProcessRequest): Promise<ProcessOutcome> {
  for (let attempt = 1; ; attempt++) {
    const outcome = await runOnce(request);
    const { termination } = outcome;
    if (termination.kind !== "not-started" || !RETRY.codes.includes(termination.errno) || attempt > RETRY.times)
      return outcome;
    await new Promise((resume) => setTimeout(resume, RETRY.pauseMs));
  }
}

function runOnce(request: ProcessRequest): Promise<ProcessOutcome> {
  const { input, timeoutMs, ...rest } = request;
  const startedMs = monotonicMs();
  const output = { stdout: limitedBuffer(request.stdoutLimitBytes), stderr: headAndTail() };
  const child = startChild({ ...rest, hasStdin: input !== null }, output);
  if (input !== null) child.stdin?.end(input);
  // A start may take long on a busy machine; that counts towards the timeout.
  const leftMs = Math.max(0, timeoutMs - (monotonicMs() - startedMs));
  const timer = setTimeout(
    () => child.terminate({ kind: "timed-out", afterMs: timeoutMs }, graceMsOf(request)),
    leftMs,
  );
  void child.outcome.then(() => clearTimeout(timer));
  return child.outcome;
}
