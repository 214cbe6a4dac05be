import { groupDigits } from "../../../src/protocol/text/count.ts";
import { clockText, DECISION_WORDS, dayText, momentText, sumOf, swatch, widthText } from "./figures.ts";
import { axisTop, type Bar, coordinate, figuresTable, type Html, html, section, stackedBars } from "./html.ts";
import { type Bucket, type DecisionCounts, type ReportData, RUN_DECISIONS, type RunDecision } from "./report-data.ts";

const HEIGHT = 132;
const STOPPED_HEIGHT = 44;
/** Room for the number at the top of the scale, which no bar may cover. */
const TOP = 16;

/** Runs over time: all of them above, and on a separate scale below those that were not simply allowed. */
export function timelineSection(data: ReportData): Html {
  const { buckets, bucket_minutes } = data.timeline;
  if (buckets.length === 0) return html``;
  const shown = RUN_DECISIONS.filter((decision) => data.decisions[decision] > 0);
  const stopped = shown.filter((decision) => decision !== "continue" && decision !== "other");
  const width = widthText(bucket_minutes);
  const lower =
    stopped.length === 0 || stopped.length === shown.length
      ? null
      : html`<p class="panel">Not allowed, in a scale of its own</p>
${plot({ buckets, decisions: stopped, height: STOPPED_HEIGHT, title: "Runs that were not allowed" })}`;
  const content = html`<p class="about">Runs per ${width}${untimedText(data)}</p>
<ul class="legend">${shown.map((one) => html`<li>${swatch(one)}${DECISION_WORDS[one]} <b>${groupDigits(data.decisions[one])}</b></li>`)}</ul>
<figure>
${plot({ buckets, decisions: shown, height: HEIGHT, title: `Runs per ${width}` })}
${lower}
${axis(buckets)}
</figure>
<details class="numbers"><summary>The same as a table</summary>
${timelineTable(buckets, shown, width)}</details>`;
  return section({ id: "timeline", title: "Timeline", content });
}

function untimedText({ runs, timeline }: ReportData): string {
  const untimed = runs - timeline.buckets.reduce((sum, { decisions }) => sum + sumOf(decisions), 0);
  return untimed === 0 ? "" : `; ${groupDigits(untimed)} without a readable time are omitted`;
}

interface Plot {
  readonly buckets: readonly Bucket[];
  readonly decisions: readonly RunDecision[];
  readonly height: number;
  readonly title: string;
}

/** Horizontal positions are percentages, so that the drawing is as wide as the page and its text is not scaled. */
function plot({ buckets, decisions, height, title }: Plot): Html {
  const total = (counts: DecisionCounts): number => decisions.reduce((sum, one) => sum + counts[one], 0);
  const top = axisTop(Math.max(...buckets.map((bucket) => total(bucket.decisions))));
  const step = 100 / buckets.length;
  const columns = buckets.map(({ decisions: counts, start }, at) => {
    const shares = decisions.map((one) => ({ look: one, count: counts[one] }));
    const bars = stackedBars(shares, top, height);
    return bars.length === 0
      ? null
      : html`<g><title>${`${momentText(start)}: ${countsText(counts)}`}</title>${bars.map((bar) => column(bar, at * step, step))}</g>`;
  });
  return html`<svg class="plot" width="100%" height="${height + TOP + 1}" role="img" aria-label="${plotText(title, buckets, top)}"><text class="scale" x="0" y="11">${groupDigits(top)}</text>
<g transform="translate(0 ${TOP})"><line class="grid" x1="0" x2="100%" y1="0.5" y2="0.5"/>
${columns}<line class="base" x1="0" x2="100%" y1="${height + 0.5}" y2="${height + 0.5}"/></g></svg>
`;
}

/** A line separates stacked parts, so that they do not differ by colour alone. */
function column({ look, start, size }: Bar, x: number, step: number): Html {
  const [left, width, foot] = [coordinate(x + step * 0.1), coordinate(step * 0.8), coordinate(start + size)];
  const cut =
    size < LEAST_CUT
      ? null
      : html`<line class="cut" x1="${left}%" x2="${coordinate(x + step * 0.9)}%" y1="${foot}" y2="${foot}"/>`;
  return html`<rect class="${look}" x="${left}%" width="${width}%" y="${coordinate(start)}" height="${coordinate(size)}"/>${cut}`;
}
const LEAST_CUT = 3;

/** A sentence that describes the chart. */
function plotText(title: string, buckets: readonly Bucket[], top: number): string {
  const [first, last] = [buckets[0], buckets.at(-1)];
  const period =
    first === undefined || last === undefined ? "" : ` from ${momentText(first.start)} to ${momentText(last.start)}`;
  return `${title}${period}, at most ${groupDigits(top)}. A table with the numbers follows.`;
}

const countsText = (counts: DecisionCounts): string =>
  RUN_DECISIONS.filter((one) => counts[one] > 0)
    .map((one) => `${groupDigits(counts[one])} ${DECISION_WORDS[one].toLowerCase()}`)
    .join(", ");

/** The beginning, the middle and the end; the table has them all. */
function axis(buckets: readonly Bucket[]): Html {
  const [first, middle, last] = [buckets[0], buckets[Math.floor(buckets.length / 2)], buckets.at(-1)];
  const isOneDay = first?.start.slice(0, 10) === last?.start.slice(0, 10);
  const isDays = [first, last].every((bucket) => bucket === undefined || clockText(bucket.start) === "00:00");
  const label = (bucket: Bucket | undefined): string => {
    if (bucket === undefined) return "";
    if (isOneDay) return clockText(bucket.start);
    return isDays && buckets.length > 1 ? dayText(bucket.start) : momentText(bucket.start);
  };
  return html`<div class="axis" aria-hidden="true"><span>${label(first)}</span><span>${label(middle)}</span><span>${label(last)}</span></div>`;
}

function timelineTable(buckets: readonly Bucket[], shown: readonly RunDecision[], width: string): Html {
  return figuresTable({
    caption: `Runs per ${width}, without times in which there were none`,
    look: "timeline",
    rowLabel: "From",
    columns: shown.map((one) => ({ label: DECISION_WORDS[one], kind: "number" as const })),
    rows: buckets
      .filter(({ decisions }) => sumOf(decisions) > 0)
      .map(({ start, decisions }) => ({
        name: html`<time datetime="${start}">${momentText(start)}</time>`,
        cells: shown.map((one) => html`${groupDigits(decisions[one])}`),
      })),
  });
}
