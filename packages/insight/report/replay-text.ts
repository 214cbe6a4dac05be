import { type JsonRecord, type JsonValue, printableJson, rawJson } from "../../../src/protocol/json/write.ts";
import { pluralize } from "../../../src/protocol/text/count.ts";
import { truncateEscaped } from "../../../src/protocol/text/text.ts";
import type { Style } from "../../../src/report/text-style.ts";
import type { LeftOutHook } from "../replay/recorded-call.ts";

/** The recorded decision about one call and the one of today. */
export interface ReplayedDecision {
  readonly decision: string;
  readonly decidedBy: string | null;
  readonly reason: string | null;
  /** The new value as raw JSON; null without a change. */
  readonly change: string | null;
}

/** A recorded run that the current hooks decide differently. */
export interface ReplayedRun {
  readonly runId: string;
  readonly time: string;
  readonly event: string;
  readonly call: string | null;
  readonly before: ReplayedDecision;
  readonly after: ReplayedDecision;
  readonly differs: readonly (keyof ReplayedDecision)[];
  /** True if a secret was redacted from the payload, so that the hooks saw another call. */
  readonly isRedacted: boolean;
}

export interface UnjudgedRuns {
  readonly count: number;
  /** The ids of the first runs. */
  readonly runIds: readonly string[];
}

export interface ReplayReport {
  readonly same: number;
  readonly differing: number;
  /** The first of those that differ. */
  readonly runs: readonly ReplayedRun[];
  /** Runs that could not be judged, by reason. */
  readonly unjudged: ReadonlyMap<string, UnjudgedRuns>;
  readonly leftOut: readonly LeftOutHook[];
}

export function replayText({ same, differing, runs, unjudged, leftOut }: ReplayReport, style: Style): string {
  const more = differing > runs.length ? `… ${pluralize(differing - runs.length, "more run")}\n` : "";
  const words = `${differing} ${differing === 1 ? "differs" : "differ"}`;
  const head = `${pluralize(same + differing, "recorded run")}: ${style.strong(words)}, ${same} as before\n`;
  const notes = [
    ...leftOut.map(({ name, why }) => `${name} did not judge: ${why}`),
    ...[...unjudged].map(
      ([why, { count, runIds }]) => `${pluralize(count, "run")} could not be judged: ${why} (${runIds[0]})`,
    ),
  ].map((note) => `${style.warn("▲")} ${truncateEscaped(note, 300)}\n`);
  return runs.map((run) => runText(run, style)).join("") + more + head + notes.join("");
}

function runText(run: ReplayedRun, style: Style): string {
  const { runId, time, event, call, before, after, differs, isRedacted } = run;
  const note = isRedacted ? style.faint(" (a secret was taken out of its payload)") : "";
  const lines = differs.map((field) => {
    const [was, is] = [before[field], after[field]].map((value) => truncateEscaped(value ?? "none", 200));
    return `  ${NAMES[field]}: ${style.bad(was ?? "")} → ${style.good(is ?? "")}\n`;
  });
  const shown = truncateEscaped(`${runId}  ${time}  ${event}${call === null ? "" : `  ${call}`}`, 220);
  return `${style.strong(shown)}${note}\n${lines.join("")}`;
}

const NAMES: Readonly<Record<keyof ReplayedDecision, string>> = {
  decision: "decision",
  decidedBy: "decided by",
  reason: "reason",
  change: "change",
};

export function replayJson({ same, differing, runs, unjudged, leftOut }: ReplayReport): string {
  return printableJson({
    schema: "hookctl.replay/1",
    same,
    differing,
    runs: runs.map(runJson),
    unjudged: [...unjudged].map(([why, { count, runIds }]) => ({ why, count, run_ids: [...runIds] })),
    left_out: leftOutJson(leftOut),
  });
}

export const leftOutJson = (leftOut: readonly LeftOutHook[]): readonly JsonRecord[] =>
  leftOut.map(({ name, path, why }) => ({ name, path, why }));

const runJson = ({ runId, time, event, call, before, after, differs, isRedacted }: ReplayedRun): JsonRecord => ({
  run_id: runId,
  time,
  event,
  call,
  before: decisionJson(before),
  after: decisionJson(after),
  differs: differs.map((field) => (field === "decidedBy" ? "decided_by" : field)),
  redacted: isRedacted,
});

const decisionJson = ({ decision, decidedBy, reason, change }: ReplayedDecision): JsonValue => ({
  decision,
  decided_by: decidedBy,
  reason,
  change: change === null ? null : rawJson(change),
});
