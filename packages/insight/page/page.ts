import { createHash } from "node:crypto";
import { membersOf, spanOfRaw } from "../../../src/protocol/json/read.ts";
import { groupDigits, pluralize } from "../../../src/protocol/text/count.ts";
import { escapeControls } from "../../../src/protocol/text/text.ts";
import { fromJson, renderTemplate } from "../../jinja/index.ts";
import { failuresOf, type HookFigures, type ReportData } from "../totals/report-totals.ts";
import { hookTable, latencyTable, stoppedOf, timelineCharts, toolTable } from "./charts.ts";
import { clip, dateText, momentText, NAME_LIMIT, periodText, shareText } from "./figures.ts";
import { runItem, whyCommand } from "./run-item.ts";

const STYLE = "<style>";

/** Fills the template of the page. The template has the layout; the files of this folder have its texts and figures. */
export function reportPage(data: ReportData, template: string): string {
  const style = template.slice(template.indexOf(STYLE) + STYLE.length, template.indexOf("</style>"));
  const hash = createHash("sha256").update(style).digest("base64");
  const policy = `default-src 'none'; style-src 'sha256-${hash}'; img-src data:; base-uri 'none'; form-action 'none'`;
  const view = JSON.stringify({ policy, ...viewOf(data) }, (_, value: unknown) =>
    typeof value === "string" ? visible(value) : value,
  );
  const values = [...membersOf(spanOfRaw(view))].map(([name, value]) => [name, fromJson(value)] as const);
  const page = renderTemplate(template, { values, isStrict: false, random: () => 0 });
  if (!page.ok) throw new Error(page.error);
  return page.value;
}

/** Control and bidi characters as `\uXXXX`; halves of characters, and accents piled on one letter, are no text. */
const visible = (text: string): string =>
  escapeControls(text)
    .replace(/[\p{Cs}\ufffe\uffff]/gu, "\ufffd")
    .replace(/(\p{M}{3})\p{M}+/gu, "$1");

/** A section is null if it would be empty. */
function viewOf(data: ReportData) {
  const { first, last, asked, made, version, runs } = data;
  return {
    period: first === null || last === null ? askedText(data) : periodText(first, last),
    project: asked.project === null ? null : clip(asked.project, 120),
    hook: asked.hook === null ? null : clip(asked.hook, NAME_LIMIT),
    isEverything: Object.values(asked).every((one) => one === null),
    summary: runs === 0 ? null : summaryOf(data),
    made: `${momentText(made)} ${made.slice(0, 4)}`,
    version,
    offset: /Z$|[+-]00:00$/.test(made) ? "" : made.slice(-6),
    sections: {
      failing: failingHooks(data),
      timeline: timelineCharts(data),
      blocks: orNull(data.stopped.map((run) => runItem(run, { isByTime: true, isOpen: false }))),
      cage: orNull(data.cage.map(({ text, runs }) => ({ text, runs: pluralize(runs, "call") }))),
      // The first one is open, as an example.
      slowest: orNull(data.slowest.map((run, at) => runItem(run, { isByTime: false, isOpen: at === 0 }))),
      latency: latencyTable(data),
      hooks: hookTable(data),
      tools: toolTable(data),
    },
  };
}

const orNull = <T>(items: readonly T[]): readonly T[] | null => (items.length === 0 ? null : items);

function askedText({ asked: { since, until } }: ReportData): string {
  if (since === null) return until === null ? "" : `until ${dateText(until)}`;
  return until === null ? `since ${dateText(since)}` : periodText(since, until);
}

function summaryOf(data: ReportData) {
  const { runs, decisions, failures, refusals, hooks, tools, omitted } = data;
  const failing = hooks.filter(({ outcomes }) => outcomes.failed > 0).length;
  const inHooks = failing === 0 ? "no hook failed" : `in ${pluralize(failing, "hook")}`;
  const named = tools.filter(({ name }) => name !== null).length + omitted.tools;
  const figures = [
    { label: "Runs", value: runs, note: `${groupDigits(decisions.continue)} allowed` },
    { label: "Blocked", value: decisions.block, note: blockedNote(data) },
    {
      label: "Failures",
      value: failures,
      note: refusals === 0 ? inHooks : `${inHooks}, ${groupDigits(refusals)} not started`,
    },
    { label: "Hooks", value: hooks.length + omitted.hooks, note: pluralize(named, "tool") },
  ];
  return figures.map((figure) => ({ ...figure, value: groupDigits(figure.value) }));
}

function blockedNote({ runs, decisions }: ReportData): string {
  const { ask, halt, block } = decisions;
  const others = [ask === 0 ? "" : `${groupDigits(ask)} asked`, halt === 0 ? "" : `${groupDigits(halt)} halted`];
  return stoppedOf(decisions) === block ? `${shareText(block, runs)} of runs` : others.filter(Boolean).join(", ");
}

/** The table of decisions has all of them. */
const MOST_FAILING = 10;

/** Failing hooks come first: a failing guard protects nobody. */
function failingHooks({ hooks }: ReportData) {
  const failing = hooks.filter((hook) => failuresOf(hook) > 0).sort((a, b) => failuresOf(b) - failuresOf(a));
  if (failing.length === 0) return null;
  const more = failing.length - MOST_FAILING;
  return {
    hooks: failing.slice(0, MOST_FAILING).map(failingHook),
    more: more <= 0 ? null : pluralize(more, "more hook"),
  };
}

function failingHook({ name, runs, outcomes, last_failure: last }: HookFigures) {
  const { failed, refused } = outcomes;
  const texts = [
    failed === 0 ? "" : `failed in ${groupDigits(failed)} of ${pluralize(runs, "run")} (${shareText(failed, runs)})`,
    refused === 0 ? "" : `was not allowed to start ${refused === 1 ? "once" : pluralize(refused, "time")}`,
  ];
  return {
    name: clip(name, NAME_LIMIT),
    text: texts.filter(Boolean).join(", and "),
    last: last && {
      code: clip(last.code, 60),
      time: last.time === null ? "" : `, ${momentText(last.time)}`,
      command: whyCommand(last.run_id),
    },
  };
}
