import { groupDigits, pluralize } from "../../../src/protocol/text/count.ts";
import { type Html, html, type Share } from "./html.ts";
import type { DecisionCounts, HookFigures, LocalTime, RunDecision } from "./report-data.ts";

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** Milliseconds without a unit: `0.4`, `12`, `1,204`. */
export const msText = (ms: number): string => (ms < 9.95 ? ms.toFixed(1) : groupDigits(Math.round(ms)));

/** `1.2 %`; a share that is neither nothing nor everything is never rounded to either. */
export function shareText(part: number, whole: number): string {
  if (part === 0 || whole === 0) return "0 %";
  if (part === whole) return "100 %";
  const percent = (part / whole) * 100;
  if (percent < 0.1) return "<0.1 %";
  return percent > 99.9 ? ">99.9 %" : `${Number(percent.toFixed(1))} %`;
}

/** `22 Nov`. */
export const dayText = (time: LocalTime): string =>
  `${Number(time.slice(8, 10))} ${MONTHS[Number(time.slice(5, 7)) - 1] ?? ""}`;

/** `22 Nov 2026`. */
export const dateText = (time: LocalTime): string => `${dayText(time)} ${time.slice(0, 4)}`;

/** `14:02`. */
export const clockText = (time: LocalTime): string => time.slice(11, 16);

export const momentText = (time: LocalTime): string => `${dayText(time)}, ${clockText(time)}`;

/** `15 – 22 Nov 2026`, or the hours of a single day. */
export function periodText(first: LocalTime, last: LocalTime): string {
  if (first.slice(0, 10) !== last.slice(0, 10)) return `${dateRange(first, last)} ${last.slice(0, 4)}`;
  const [from, to] = [clockText(first), clockText(last)];
  return `${dateText(first)}, ${from === to ? from : `${from} – ${to}`}`;
}

function dateRange(first: LocalTime, last: LocalTime): string {
  if (first.slice(0, 4) !== last.slice(0, 4)) return `${dateText(first)} – ${dayText(last)}`;
  if (first.slice(0, 7) !== last.slice(0, 7)) return `${dayText(first)} – ${dayText(last)}`;
  return `${Number(first.slice(8, 10))} – ${dayText(last)}`;
}

/** `minute`, `5 minutes`, `hour`, `day`, `week`. */
export function widthText(minutes: number): string {
  const [unit, size] = UNITS.find(([, length]) => minutes % length === 0) ?? ["minute", 1];
  const count = minutes / size;
  return count === 1 ? unit : pluralize(count, unit);
}
const UNITS: readonly (readonly [string, number])[] = [
  ["week", 10_080],
  ["day", 1440],
  ["hour", 60],
];

/** Each decision has a word and a pattern, so that the page is readable without colours. */
export const DECISION_WORDS: Readonly<Record<RunDecision, string>> = {
  continue: "Allowed",
  other: "Other",
  ask: "Asked",
  halt: "Halted",
  block: "Blocked",
};

export const swatch = (look: string): Html =>
  html`<svg class="swatch" width="10" height="10" aria-hidden="true"><rect class="${look}" width="10" height="10"/></svg>`;

export const decisionMark = (decision: RunDecision): Html =>
  html`<span class="mark">${swatch(decision)}${DECISION_WORDS[decision]}</span>`;

export const sumOf = (counts: Readonly<Record<string, number>>): number =>
  Object.values(counts).reduce((sum, count) => sum + count, 0);

/** The number of asks, halts and blocks. */
export const stoppedOf = ({ ask, halt, block }: DecisionCounts): number => ask + halt + block;

/** The parts of a bar in drawing order. Together they are all runs of the row. */
export const toolShares = (decisions: DecisionCounts): readonly Share[] => [
  { look: "block", count: decisions.block },
  { look: "halt", count: decisions.halt },
  { look: "ask", count: decisions.ask },
  { look: "other", count: decisions.other },
  { look: "continue", count: decisions.continue },
];

export const hookShares = ({ outcomes, runs }: HookFigures): readonly Share[] => {
  const [blocked, asked, failed] = [outcomes.block, outcomes.ask, outcomes.failed];
  const changed = outcomes.modify + outcomes.replace;
  return [
    { look: "block", count: blocked },
    { look: "ask", count: asked },
    { look: "halt", count: failed },
    { look: "changed", count: changed },
    { look: "continue", count: runs - blocked - asked - failed - changed },
  ];
};
