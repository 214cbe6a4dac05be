import { type Html, html } from "./html.ts";
import type { DecisionCounts, HookFigures, RunDecision } from "./report-data.ts";

/** A decision is a word and a pattern, so that nobody needs the colour. */
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

/** What did not simply go on. */
export const stoppedOf = ({ ask, halt, block }: DecisionCounts): number => ask + halt + block;

/** The parts of a bar, in the order in which they stand. Together they are all runs of the row. */
export interface Share {
  readonly look: string;
  readonly count: number;
}

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
