import { shellQuote } from "../../../src/protocol/text/shell-quote.ts";
import type { HookOutcome } from "../totals/hook-totals.ts";
import type { RunFigures } from "../totals/report-totals.ts";
import { DECISION_WORDS } from "./charts.ts";
import { clip, coordinate, momentText, msText, NAME_LIMIT, spanBar } from "./figures.ts";

/** One run of a list, which opens to the waterfall of its chain. */
export function runItem(run: RunFigures, list: { readonly isByTime: boolean; readonly isOpen: boolean }) {
  const texts = [run.event, run.tool, run.agent].flatMap((text) => (text === null ? [] : [clip(text, NAME_LIMIT)]));
  const isEstimated = run.hooks.length > 1 && run.hooks.some(({ start_ms }) => start_ms === null);
  const remark = isEstimated ? "This record has no start times: hooks are shown one after the other." : "";
  return {
    ...list,
    ms: msText(run.duration_ms),
    time: run.time === null ? null : { at: run.time, text: momentText(run.time) },
    /** Its command or path; a run without one has its tool or event. */
    call: run.call === null || run.call.trim() === "" ? null : clip(run.call, 120),
    what: clip(run.tool ?? run.event, NAME_LIMIT),
    look: run.decision,
    decision: DECISION_WORDS[run.decision],
    reason: run.reason === null ? "" : clip(run.reason, 500),
    decider: run.decided_by === null ? null : clip(run.decided_by, NAME_LIMIT),
    facts: run.project === null ? texts : [...texts, clip(run.project, 120)],
    waterfall: run.hooks.length === 0 ? null : waterfallOf(run),
    remark: (run.hooks.length === 0 ? "No hook was started." : remark) + omittedText(run),
    command: whyCommand(run.run_id),
  };
}

/** A click or a tap selects it whole. */
export const whyCommand = (runId: string): string =>
  runId === "" ? "" : `hookctl why ${shellQuote(runId.slice(0, 64))}`;

function omittedText({ skipped_hooks, hidden_hooks }: RunFigures): string {
  const skipped = skipped_hooks === 0 ? "" : ` ${skipped_hooks} skipped.`;
  return hidden_hooks === 0 ? skipped : `${skipped} ${hidden_hooks} quicker ones are not shown.`;
}

/** Words and classes of the outcomes. */
const OUTCOMES: Readonly<Record<HookOutcome, { readonly word: string; readonly look: string }>> = {
  continue: { word: "allowed", look: "continue" },
  block: { word: "blocked", look: "block" },
  ask: { word: "asked", look: "ask" },
  modify: { word: "changed", look: "changed" },
  replace: { word: "replaced", look: "changed" },
  observed: { word: "observed", look: "continue" },
  failed: { word: "failed", look: "halt" },
  refused: { word: "not started", look: "halt" },
  skipped: { word: "skipped", look: "continue" },
  other: { word: "other", look: "continue" },
};

/** The chain of one run: when each hook began and how long it took. */
function waterfallOf({ duration_ms, hooks }: RunFigures) {
  // A chain runs one hook after another, so a record without start times still has an order.
  let endMs = 0;
  const spans = hooks.map((hook) => {
    const startMs = hook.start_ms ?? endMs;
    endMs = startMs + hook.duration_ms;
    return { ...hook, startMs, endMs };
  });
  const wholeMs = Math.max(duration_ms, ...spans.map((span) => span.endMs));
  const rows = spans.map(({ name, startMs, duration_ms: ms, outcome, failure }) => {
    const { start, size } = spanBar(startMs, ms, wholeMs);
    const { word, look } = OUTCOMES[outcome];
    const span = { look, x: coordinate(start), width: coordinate(size) };
    const end = { word, failure: failure === null ? null : clip(failure, 60) };
    return { name: clip(name, NAME_LIMIT), cells: [span, msText(startMs), msText(ms), end] };
  });
  return { ms: msText(wholeMs), rows };
}
