import { createHash } from "node:crypto";
import { groupDigits, pluralize } from "../../protocol/text/count.ts";
import { dateText, momentText, periodText, shareText, stoppedOf } from "./figures.ts";
import { decisionSections, latencySection } from "./hook-sections.ts";
import { type Html, html, markupOf, outside } from "./html.ts";
import { PAGE_STYLE } from "./page-style.ts";
import type { ReportData } from "./report-data.ts";
import { failingSection, isFailing, slowestSection, stoppedSection } from "./run-sections.ts";
import { timelineSection } from "./timeline.ts";

/** The beginning of a page made by hookctl; any other file is not overwritten. */
export const PAGE_START = '<!DOCTYPE html>\n<html lang="en" data-made-by="hookctl report">\n';

/** The content policy allows no scripts, no requests, and only this style sheet. */
const styleHash = createHash("sha256").update(markupOf(PAGE_STYLE)).digest("base64");
const CONTENT_POLICY = `default-src 'none'; style-src 'sha256-${styleHash}'; img-src data:; base-uri 'none'; form-action 'none'`;

/** The report as one HTML file without scripts. */
export function reportPage(data: ReportData): string {
  const body = html`<head>
<meta charset="utf-8"/>
<meta http-equiv="Content-Security-Policy" content="${CONTENT_POLICY}"/>
<meta name="viewport" content="width=device-width, initial-scale=1"/>
<meta name="color-scheme" content="light dark"/>
<meta name="referrer" content="no-referrer"/>
<title>hookctl report</title>
<link rel="icon" href="data:,"/>
<style>${PAGE_STYLE}</style>
</head>
<body>
${patterns()}
<a class="skip" href="#main">Skip to the report</a>
${header(data)}
<main id="main" tabindex="-1">
${data.runs === 0 ? emptySection(data) : sections(data)}
</main>
${footer(data)}
</body>
</html>
`;
  return PAGE_START + markupOf(body);
}

/** Fills for what must differ without colour, too. */
const patterns = (): Html =>
  html`<svg class="patterns" width="0" height="0" aria-hidden="true"><defs>
<pattern id="hatch" width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect class="paper" width="5" height="5"/><rect class="ink" width="2.5" height="5"/></pattern>
<pattern id="slant" width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(-45)"><rect class="paper" width="5" height="5"/><rect class="continue" width="2.5" height="5"/></pattern>
<pattern id="stripes" width="4" height="4" patternUnits="userSpaceOnUse"><rect class="paper" width="4" height="4"/><rect class="ink" width="4" height="2.5"/></pattern>
</defs></svg>`;

function header(data: ReportData): Html {
  const { first, last, asked } = data;
  const period = first === null || last === null ? askedText(data) : periodText(first, last);
  const place = asked.project === null ? html`all projects` : outside(asked.project, 120);
  const hook = asked.hook === null ? null : html` · runs with hook ${outside(asked.hook, 80)}`;
  return html`<header>
<p class="brand">hookctl</p>
<h1>Hook report</h1>
<p class="about">${period === "" ? null : html`${period} · `}${place}${hook}</p>
${data.runs === 0 ? null : figureList(data)}
${data.runs === 0 ? null : navigation(data)}
</header>
`;
}

function askedText({ asked: { since, until } }: ReportData): string {
  if (since === null) return until === null ? "" : `until ${dateText(until)}`;
  return until === null ? `since ${dateText(since)}` : periodText(since, until);
}

function figureList(data: ReportData): Html {
  const { runs, decisions, failures, refusals, hooks, omitted } = data;
  const stopped = stoppedOf(decisions);
  const failing = hooks.filter(({ outcomes }) => outcomes.failed > 0).length;
  const figures = [
    { label: "Runs", value: runs, note: `${groupDigits(decisions.continue)} allowed` },
    { label: "Blocked", value: decisions.block, note: stoppedNote(data, stopped) },
    {
      label: "Failures",
      value: failures,
      note: [
        failing === 0 ? "no hook failed" : `in ${pluralize(failing, "hook")}`,
        ...(refusals === 0 ? [] : [`${groupDigits(refusals)} not started`]),
      ].join(", "),
    },
    {
      label: "Hooks",
      value: hooks.length + omitted.hooks,
      note: pluralize(data.tools.filter(({ name }) => name !== null).length + omitted.tools, "tool"),
    },
  ];
  return html`<dl class="summary">${figures.map(
    ({ label, value, note }) =>
      html`<div><dt>${label}</dt><dd><b>${groupDigits(value)}</b> <span>${note}</span></dd></div>
`,
  )}</dl>`;
}

function stoppedNote({ runs, decisions: { ask, halt, block } }: ReportData, stopped: number): string {
  const others = [ask === 0 ? "" : `${groupDigits(ask)} asked`, halt === 0 ? "" : `${groupDigits(halt)} halted`];
  return stopped === block ? `${shareText(block, runs)} of runs` : others.filter(Boolean).join(", ");
}

function navigation({ hooks, timeline, tools, slowest, stopped }: ReportData): Html {
  const links = [
    { id: "failing", title: "Failed or not started", isThere: hooks.some(isFailing) },
    { id: "timeline", title: "Timeline", isThere: timeline.buckets.length > 0 },
    { id: "blocks", title: "Last blocks", isThere: stopped.length > 0 },
    { id: "slowest", title: "Slowest runs", isThere: slowest.length > 0 },
    { id: "latency", title: "Latency", isThere: hooks.some(({ latency }) => latency !== null) },
    { id: "hooks", title: "By hook", isThere: hooks.length > 0 },
    { id: "tools", title: "By tool", isThere: tools.length > 0 },
  ];
  return html`<nav aria-label="Sections"><ul>${links
    .filter(({ isThere }) => isThere)
    .map(({ id, title }) => html`<li><a href="#${id}">${title}</a></li>`)}</ul></nav>`;
}

const sections = (data: ReportData): readonly Html[] => [
  failingSection(data),
  timelineSection(data),
  stoppedSection(data),
  slowestSection(data),
  latencySection(data),
  decisionSections(data),
];

const emptySection = ({ asked }: ReportData): Html => html`<section class="empty"><h2>No runs recorded</h2>
<p>${
  Object.values(asked).every((one) => one === null)
    ? html`A run leaves a line once a hook takes part in it. To see whether hooks can run: <code class="command">hookctl doctor</code>`
    : html`None in this selection. Of all that is recorded: <code class="command">hookctl report --output report.html</code>`
}</p></section>`;

const footer = ({ made, version }: ReportData): Html =>
  html`<footer><p>Made ${`${momentText(made)} ${made.slice(0, 4)}`} by hookctl ${version} from the audit log on this machine. Times are local (UTC${offsetText(made)}). Secrets were redacted when the runs were recorded. This file loads nothing and runs no scripts.</p></footer>`;

const offsetText = (time: string): string => (/Z$|[+-]00:00$/.test(time) ? "" : time.slice(-6));
