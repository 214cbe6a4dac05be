import { createHash } from "node:crypto";
import { groupDigits, pluralize } from "../../../src/protocol/text/count.ts";
import { dateText, momentText, periodText, shareText, stoppedOf } from "./figures.ts";
import { hookDecisions, latencySection, toolDecisions } from "./hook-sections.ts";
import { type Html, html, markupOf, outside } from "./html.ts";
import type { ReportData } from "./report-data.ts";
import { failingSection, isFailing, slowestSection, stoppedSection } from "./run-sections.ts";
import { timelineSection } from "./timeline.ts";

/**
 * Fills the template of the page. The report has no scripts: texts of a log are hostile, and its readers open it from
 * mails and build artifacts. The content policy allows no scripts, no requests, and only the template's style sheet.
 */
export function reportPage(data: ReportData, template: string): string {
  const style = template.slice(template.indexOf(STYLE) + STYLE.length, template.indexOf("</style>"));
  const hash = createHash("sha256").update(style).digest("base64");
  const policy = `default-src 'none'; style-src 'sha256-${hash}'; img-src data:; base-uri 'none'; form-action 'none'`;
  const report = html`${header(data)}<main id="main" tabindex="-1">
${data.runs === 0 ? emptySection(data) : sections(data)}
</main>
${footer(data)}`;
  // Functions, because `$&` in a text has a meaning in a replacement.
  return template.replace("{{ policy }}", () => policy).replace("{{ report }}", () => markupOf(report));
}

const STYLE = "<style>";

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
  hookDecisions(data),
  toolDecisions(data),
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
