import { coordinate, spanBar } from "./bars.ts";
import { msText } from "./figures.ts";
import { NAME_LIMIT } from "./hook-sections.ts";
import { type Html, html, outside } from "./html.ts";
import type { ChainedHook, HookOutcome, RunFigures } from "./report-data.ts";
import { figuresTable } from "./table.ts";

const OUTCOME_WORDS: Readonly<Record<HookOutcome, string>> = {
  continue: "allowed",
  block: "blocked",
  ask: "asked",
  modify: "changed",
  replace: "replaced",
  observed: "observed",
  failed: "failed",
  refused: "not started",
  skipped: "skipped",
  other: "other",
};

const OUTCOME_LOOKS: Partial<Readonly<Record<HookOutcome, string>>> = {
  block: "block",
  ask: "ask",
  failed: "halt",
  refused: "halt",
  modify: "changed",
  replace: "changed",
};

interface Span {
  readonly hook: ChainedHook;
  readonly startMs: number;
}

/** The chain of one run: when each hook began and how long it took. */
export function waterfall(run: RunFigures): Html {
  if (run.hooks.length === 0) return html`<p class="about">No hook was started.${restText(run)}</p>`;
  const spans = spansOf(run.hooks);
  const wholeMs = Math.max(run.duration_ms, ...spans.map(({ hook, startMs }) => startMs + hook.duration_ms));
  const table = figuresTable({
    caption: `Hooks of this run, of ${msText(wholeMs)} ms in all`,
    look: "waterfall",
    rowLabel: "Hook",
    columns: [
      { label: "", kind: "bar" },
      { label: "Start", kind: "offset" },
      { label: "ms", kind: "number" },
      { label: "Outcome", kind: "text" },
    ],
    rows: spans.map(({ hook, startMs }) => ({
      name: outside(hook.name, NAME_LIMIT),
      cells: [
        spanSvg(hook, startMs, wholeMs),
        html`${msText(startMs)}`,
        html`${msText(hook.duration_ms)}`,
        html`${OUTCOME_WORDS[hook.outcome]}${hook.failure === null ? null : html` <span class="faint">${outside(hook.failure, 60)}</span>`}`,
      ],
    })),
  });
  return html`${table}<p class="about">${isEstimated(run) ? "This record has no start times: hooks are shown one after the other." : ""}${restText(run)}</p>`;
}

/** A chain runs one hook after another, so a record without start times still has an order. */
function spansOf(hooks: readonly ChainedHook[]): readonly Span[] {
  let endMs = 0;
  return hooks.map((hook) => {
    const startMs = hook.start_ms ?? endMs;
    endMs = startMs + hook.duration_ms;
    return { hook, startMs };
  });
}

const isEstimated = ({ hooks }: RunFigures): boolean =>
  hooks.length > 1 && hooks.some(({ start_ms }) => start_ms === null);

function restText({ skipped_hooks, hidden_hooks }: RunFigures): string {
  const skipped = skipped_hooks === 0 ? "" : ` ${skipped_hooks} skipped.`;
  return hidden_hooks === 0 ? skipped : `${skipped} ${hidden_hooks} quicker ones are not shown.`;
}

function spanSvg({ outcome, duration_ms }: ChainedHook, startMs: number, wholeMs: number): Html {
  const { start, size } = spanBar(startMs, duration_ms, wholeMs);
  return html`<svg class="span" width="100%" height="14"><line class="grid" x1="0" x2="100%" y1="7" y2="7"/><rect class="${OUTCOME_LOOKS[outcome] ?? "continue"}" x="${coordinate(start)}%" width="${coordinate(size)}%" y="2" height="10"/></svg>`;
}
