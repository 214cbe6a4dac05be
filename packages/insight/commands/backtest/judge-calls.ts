import type { Host } from "../../../../src/engine/host.ts";
import { pluralize } from "../../../../src/protocol/text/count.ts";
import { progressLine } from "../../../screen/progress-line.ts";

const PAUSE_EVERY_MS = 50;

interface JudgeOptions<Call> {
  /** `call` or `run`, for the progress line. */
  readonly word: string;
  readonly quiet: boolean;
  readonly judge: (call: Call) => Promise<void>;
}

/** Judges recorded calls one after another; a line on the terminal shows the progress, and a signal ends the work. */
export async function judgeCalls<Call>(
  calls: Iterable<Call>,
  { word, quiet, judge }: JudgeOptions<Call>,
  host: Host,
): Promise<void> {
  // Without a listener a signal would end the process and leave temporary folders.
  const unlisten = host.interrupt.listen(() => undefined);
  let done = 0;
  let pausedMs = host.elapsedMs();
  const progress = progressLine(host, quiet, () => `${pluralize(done, word)} judged`);
  for (const call of calls) {
    await judge(call);
    done += 1;
    if (host.elapsedMs() - pausedMs < PAUSE_EVERY_MS) continue;
    // Lets timers and signals in.
    await new Promise((resume) => setImmediate(resume));
    pausedMs = host.elapsedMs();
    if (host.interrupt.raised() !== null) break;
  }
  progress.end();
  unlisten();
}
