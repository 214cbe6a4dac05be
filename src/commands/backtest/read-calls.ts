import { isAbsolute, resolve } from "node:path";
import { describeCall } from "../../audit/describe-call.ts";
import type { Redact } from "../../audit/redact.ts";
import type { OptionsOf } from "../../cli/command-table.ts";
import { progressLine } from "../../cli/progress-line.ts";
import { isInside, realPathOrSame } from "../../fs/paths.ts";
import type { Host } from "../../host.ts";
import { explain } from "../../protocol/problem-message.ts";
import { type FoundCalls, runBacktest } from "../../replay/backtest.ts";
import { type JudgedRecord, membersOfRecord } from "../../replay/judge-records.ts";
import type { SessionRecord } from "../../replay/sessions/session-record.ts";
import type { CallPlace } from "../../replay/tally.ts";

export type BacktestOptions = OptionsOf<"backtest">;

/** Returns a test for the calls of a time and of a folder. A call without a time is meant only if no time is given. */
export function meantCalls({ since, until, project }: BacktestOptions, host: Host): (record: SessionRecord) => boolean {
  const now = host.nowMs();
  const sinceMs = since?.(now).startMs ?? Number.NEGATIVE_INFINITY;
  const untilMs = until?.(now).endMs ?? Number.POSITIVE_INFINITY;
  const isTimed = since !== null || until !== null;
  const isThere = project === null ? () => true : madeInside(resolve(host.cwd, project));
  return (record) => {
    const timeMs = record.time === null ? Number.NaN : Date.parse(record.time);
    return (!isTimed || (timeMs >= sinceMs && timeMs <= untilMs)) && isThere(record);
  };
}

/** True for calls that were made in a folder, by either of its names. */
export function madeInside(folder: string): (record: SessionRecord) => boolean {
  const folders = [folder, realPathOrSame(folder)];
  return ({ cwd }) => isAbsolute(cwd) && folders.some((one) => isInside(one, resolve(cwd)));
}

const PAUSE_EVERY_MS = 50;

/** Reads and judges all calls; a line on the terminal shows how far it is, and a signal ends it. */
export async function readCalls(
  { quiet }: BacktestOptions,
  host: Host,
  input: Omit<Parameters<typeof runBacktest>[0], "pause">,
): Promise<FoundCalls> {
  // Without a listener a signal would end the process and leave temporary folders.
  const unlisten = host.interrupt.listen(() => undefined);
  let done = 0;
  let pausedMs = host.elapsedMs();
  const progress = progressLine(host, quiet, () => `${done} calls judged`);
  const calls = await runBacktest({
    ...input,
    pause: async (count) => {
      done = count;
      if (host.elapsedMs() - pausedMs < PAUSE_EVERY_MS) return false;
      await new Promise((resume) => setImmediate(resume));
      pausedMs = host.elapsedMs();
      return host.interrupt.raised() !== null;
    },
  });
  progress.end();
  unlisten();
  return calls;
}

export const unjudgedWhy = ({ problem }: Extract<JudgedRecord, { readonly kind: "unjudged" }>): string =>
  problem === null ? "its agent has no such event" : explain(problem).summary;

/** The call in one line, without secrets. */
export function shownCall(record: SessionRecord, redact: Redact): string {
  const members = membersOfRecord(record);
  return members === null ? "" : (describeCall(members, redact) ?? "");
}

export const placeOf = ({ agent, time, session }: SessionRecord, redact: Redact): CallPlace => ({
  ...{ agent, time, session: redact(session) },
});
