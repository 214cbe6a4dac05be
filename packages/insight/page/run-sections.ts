import { groupDigits, pluralize } from "../../../src/protocol/text/count.ts";
import { shellQuote } from "../../../src/protocol/text/shell-quote.ts";
import { DECISION_WORDS, decisionMark, momentText, msText, shareText } from "./figures.ts";
import { NAME_LIMIT } from "./hook-sections.ts";
import { coordinate, figuresTable, type Html, html, outside, section, spanBar } from "./html.ts";
import type { ChainedHook, HookFigures, HookOutcome, ReportData, RunFigures } from "./report-data.ts";

const CALL_LIMIT = 120;
const REASON_LIMIT = 500;

const failuresOf = ({ outcomes }: HookFigures): number => outcomes.failed + outcomes.refused;
export const isFailing = (hook: HookFigures): boolean => failuresOf(hook) > 0;

/** Failing hooks come first: a failing guard protects nobody. */
export function failingSection({ hooks }: ReportData): Html {
  const failing = hooks.filter(isFailing).sort((a, b) => failuresOf(b) - failuresOf(a));
  if (failing.length === 0) return html``;
  const content = html`<ul class="failures">${failing.slice(0, MOST_FAILING).map(failureItem)}</ul>${moreText(failing.length - MOST_FAILING)}`;
  return section({ id: "failing", title: "Hooks that failed or did not start", content });
}

/** The table of decisions has all of them. */
const MOST_FAILING = 10;
const moreText = (count: number): Html | null =>
  count <= 0
    ? null
    : html`<p class="about">and ${pluralize(count, "more hook")}: <a href="#hooks">decisions by hook</a></p>`;

function failureItem({ name, runs, outcomes, last_failure: last }: HookFigures): Html {
  const failed =
    outcomes.failed === 0
      ? []
      : [
          `failed in ${groupDigits(outcomes.failed)} of ${pluralize(runs, "run")} (${shareText(outcomes.failed, runs)})`,
        ];
  const refused =
    outcomes.refused === 0
      ? []
      : [`was not allowed to start ${outcomes.refused === 1 ? "once" : pluralize(outcomes.refused, "time")}`];
  return html`<li><b>${outside(name, NAME_LIMIT)}</b> ${[...failed, ...refused].join(", and ")}.${
    last === null
      ? null
      : html` <span class="faint">Last: ${outside(last.code, 60)}${last.time === null ? "" : `, ${momentText(last.time)}`}.</span> ${whyCommand(last.run_id)}`
  }</li>
`;
}

/** The calls that took longest; the first one is open, as an example. */
export function slowestSection({ slowest }: ReportData): Html {
  if (slowest.length === 0) return html``;
  const content = html`<p class="about">Each opens to the waterfall of its chain.</p>
<ol class="runs">${slowest.map((run, at) => runItem(run, html`<b>${msText(run.duration_ms)}</b> ms`, at === 0))}</ol>`;
  return section({ id: "slowest", title: "Slowest runs", content });
}

export function stoppedSection({ stopped }: ReportData): Html {
  if (stopped.length === 0) return html``;
  const content = html`<p class="about">The last runs that hooks blocked, halted or asked about, newest first.</p>
<ol class="runs">${stopped.map((run) => runItem(run, momentOf(run), false))}</ol>`;
  return section({ id: "blocks", title: "Last blocks", content });
}

const momentOf = ({ time }: RunFigures): Html => (time === null ? html`no time` : timeElement(time));
const timeElement = (time: string): Html => html`<time datetime="${time}">${momentText(time)}</time>`;

function runItem(run: RunFigures, figure: Html, isOpen: boolean): Html {
  const reason =
    run.reason === null || run.reason === ""
      ? null
      : html` <span class="reason" dir="auto">${outside(run.reason, REASON_LIMIT)}</span>`;
  return html`<li><details${isOpen ? html` open="open"` : null}><summary><span class="figure">${figure}</span> <span class="call">${callText(run)}</span> ${decisionMark(run.decision)}${reason}</summary>
${waterfall(run)}
<p class="facts">${facts(run)}</p>
<p>${whyCommand(run.run_id)}</p></details></li>
`;
}

/** A call by its command or path; a run without one by its tool or event. */
function callText({ call, tool, event }: RunFigures): Html {
  if (call !== null && call.trim() !== "") return html`<code>${outside(call, CALL_LIMIT)}</code>`;
  return tool === null ? outside(event, NAME_LIMIT) : outside(tool, NAME_LIMIT);
}

function facts(run: RunFigures): readonly Html[] {
  const decider =
    run.decided_by === null
      ? []
      : [html`${DECISION_WORDS[run.decision].toLowerCase()} by ${outside(run.decided_by, NAME_LIMIT)}`];
  const texts = [run.event, run.tool, run.agent].flatMap((text) => (text === null ? [] : [outside(text, NAME_LIMIT)]));
  const time = run.time === null ? [] : [timeElement(run.time)];
  const project = run.project === null ? [] : [outside(run.project, 120)];
  return [...decider, html`${msText(run.duration_ms)} ms`, ...time, ...texts, ...project].map(
    (fact, at) => html`${at === 0 ? "" : " · "}${fact}`,
  );
}

/** A click or a tap selects it whole. */
const whyCommand = (runId: string): Html =>
  runId === "" ? html`` : html`<code class="command">hookctl why ${shellQuote(runId.slice(0, 64))}</code>`;

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
function waterfall(run: RunFigures): Html {
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
