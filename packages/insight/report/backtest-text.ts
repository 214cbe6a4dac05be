import type { JsonRecord } from "../../../src/protocol/json/write.ts";
import { groupDigits, pluralize } from "../../../src/protocol/text/count.ts";
import { escapeControls, truncateEscaped } from "../../../src/protocol/text/text.ts";
import { nameColumn, type Style } from "../../../src/report/text-style.ts";
import { type BacktestReport, type CompareReport, NOT_JUDGED, type NotJudged } from "../replay/backtest.ts";
import type { DecisionChange } from "../replay/changes.ts";
import { ALARM_KINDS, type AlarmKind } from "../replay/judge-records.ts";
import { type CallPlace, type Habit, type HookTally, total } from "../replay/tally.ts";
import { leftOutJson } from "./replay-text.ts";

const DONE: Readonly<Record<AlarmKind, string>> = { block: "blocked", ask: "asked", change: "changed" };
const SHOWN_HABITS = 8;
const EXAMPLE_LENGTH = 100;

/** What the current hooks would have decided about recorded calls: a summary, and the stopped habits of each hook. */
export function backtestText(report: BacktestReport, style: Style, isVerbose: boolean): string {
  const { hooks } = report;
  const names = nameColumn(hooks.map(({ hook }) => hook));
  const parts = [
    summary(report, style),
    hooks.map((hook) => hookText(hook, report.judged, { style, names, isVerbose })).join("\n"),
    leftOutLines(report, style),
    notJudgedLines(report),
  ];
  return parts.filter((part) => part !== "").join("\n");
}

type Remarks = Pick<BacktestReport, "leftOut" | "notJudged">;

const leftOutLines = ({ leftOut }: Remarks, style: Style): string =>
  leftOut.map(({ name, why }) => `${style.warn("▲")} ${escapeControls(`${name} did not judge: ${why}`)}\n`).join("");

const notJudgedLines = ({ notJudged }: Remarks): string => notJudged.map((one) => `• ${notJudgedText(one)}\n`).join("");

/** The calls about which two revisions of the hooks decide differently. */
export function compareText(report: CompareReport, style: Style, isVerbose: boolean): string {
  const { base, judged, differing, changes } = report;
  const shown = isVerbose ? changes : changes.slice(0, SHOWN_CHANGES);
  const hidden = changes.length - shown.length;
  const more = hidden > 0 ? `  … ${pluralize(hidden, "more habit")} (-v)\n` : "";
  const head = `${pluralize(judged, "call")} judged by the hooks of ${escapeControls(base)} and by those of today: `;
  const result =
    differing === 0 ? style.good("no decision differs") : style.bad(`${groupDigits(differing)} decided differently`);
  const parts = [
    `${head}${result}\n`,
    shown.map((change) => changeText(change, style)).join("") + more,
    leftOutLines(report, style),
    notJudgedLines(report),
  ];
  return parts.filter((part) => part !== "").join("\n");
}

const SHOWN_CHANGES = 30;

function changeText({ before, after, hook, habit, count, example, place }: DecisionChange, style: Style): string {
  const named = hook === null ? "" : ` ${style.faint(escapeControls(hook))}`;
  const what = style.strong(`${before ?? "allow"} → ${after ?? "allow"}`);
  const line = `  ${String(count).padStart(5)} × ${what} ${truncateEscaped(habit, EXAMPLE_LENGTH)}${named}\n`;
  return `${line}${exampleLine(example, place, style)}`;
}

function exampleLine(example: string, { agent, time, session }: CallPlace, style: Style): string {
  const where = [agent ?? "hookctl", time === null ? "" : dayOf(time), session.slice(0, 8)];
  const named = where.filter((part) => part !== "").map(escapeControls);
  return `${style.faint(`          ${truncateEscaped(example, EXAMPLE_LENGTH)}  ${named.join(" ")}`)}\n`;
}

function summary(report: BacktestReport, style: Style): string {
  const { calls, sessions, agents, times, judged, decisions } = report;
  const by = agents.map(({ agent, calls: count }) => `${agent} ${groupDigits(count)}`).join(", ");
  const when = times === null ? "" : `, ${dayOf(times.first)} to ${dayOf(times.last)}`;
  const done = ALARM_KINDS.map((kind) => `${groupDigits(decisions[kind])} ${DONE[kind]}`).join(", ");
  const alarms = decisions.block + decisions.ask + decisions.change;
  const { judgedByDefaults: defaults } = report;
  const which = defaults === judged ? "No hook is on" : `No hook is on for ${groupDigits(defaults)} of them`;
  const guards = defaults === 0 ? "" : `${which}: all built-in guards judged, with their defaults.\n`;
  return (
    `${pluralize(calls, "call")} of ${pluralize(sessions, "session")} (${by}${when})\n` +
    `${style.strong(`would have been: ${done}`)} (${perThousand(alarms, judged)} per 1,000 calls)\n${guards}`
  );
}

interface HookTextOptions {
  readonly style: Style;
  readonly names: (name: string) => string;
  readonly isVerbose: boolean;
}

function hookText(tally: HookTally, judged: number, { style, names, isVerbose }: HookTextOptions): string {
  const { hook, counts, habits, otherCalls, isObserver } = tally;
  const done = ALARM_KINDS.filter((kind) => counts[kind] > 0).map(
    (kind) => `${groupDigits(counts[kind])} ${DONE[kind]}`,
  );
  const note = isObserver ? " (observes only)" : "";
  const head = `${style.strong(names(hook))} ${done.join(", ")}: ${perThousand(total(tally), judged)} per 1,000${note}\n`;
  const shown = isVerbose ? habits : habits.slice(0, SHOWN_HABITS);
  const hidden = habits.length - shown.length;
  const more = hidden > 0 ? [`  … ${pluralize(hidden, "more habit")} (-v)\n`] : [];
  const others = otherCalls > 0 ? [`  … ${pluralize(otherCalls, "call")} of other forms\n`] : [];
  return head + [...shown.map((habit) => habitText(habit, style)), ...more, ...others].join("");
}

function habitText({ kind, rule, habit, count, example, place }: Habit, style: Style): string {
  const word = kind === "block" ? style.bad(kind) : style.warn(kind);
  const named = rule === null ? "" : ` ${style.faint(rule)}`;
  const line = `  ${String(count).padStart(5)} × ${word} ${truncateEscaped(habit, EXAMPLE_LENGTH)}${named}\n`;
  return `${line}${exampleLine(example, place, style)}`;
}

export function notJudgedText({ what, count, detail }: NotJudged): string {
  if (what === "agents") return escapeControls(detail);
  const { one, many } = NOT_JUDGED[what];
  return `${pluralize(count, one, many)}${detail === "" ? "" : `: ${escapeControls(detail)}`}`;
}

const perThousand = (count: number, of: number): string => (of === 0 ? "0" : ((count * 1000) / of).toFixed(1));
const dayOf = (time: string): string => escapeControls(time.slice(0, 10));

/** The same data as the text. */
export const backtestJson = (report: BacktestReport): JsonRecord => ({
  schema: SCHEMA,
  calls: report.calls,
  judged: report.judged,
  sessions: report.sessions,
  agents: Object.fromEntries(report.agents.map(({ agent, calls }) => [agent, calls])),
  first: report.times?.first ?? null,
  last: report.times?.last ?? null,
  ...countsJson(report.decisions),
  judged_by_defaults: report.judgedByDefaults,
  hooks: report.hooks.map((hook) => hookJson(hook, report.judged)),
  ...remarksJson(report),
});

const SCHEMA = "hookctl.backtest/1";

const countsJson = ({ block, ask, change }: HookTally["counts"]): JsonRecord => ({
  blocked: block,
  asked: ask,
  changed: change,
});

const remarksJson = ({ leftOut, notJudged }: Remarks): JsonRecord => ({
  left_out: leftOutJson(leftOut),
  not_judged: notJudged.map(({ what, count, detail }) => ({ what, count, detail })),
});

const hookJson = ({ hook, isObserver, counts, habits, otherCalls }: HookTally, judged: number): JsonRecord => ({
  name: hook,
  observe: isObserver,
  ...countsJson(counts),
  per_thousand: judged === 0 ? 0 : (total({ counts }) * 1000) / judged,
  habits: habits.map(({ kind, place, ...habit }) => ({ decision: kind, ...habit, ...place })),
  other_calls: otherCalls,
});

/** The calls about which two revisions decide differently. */
export const compareJson = ({ base, calls, judged, differing, changes, ...remarks }: CompareReport): JsonRecord => ({
  schema: SCHEMA,
  base,
  calls,
  judged,
  differing,
  changes: changes.map(({ before, after, place, ...change }) => ({
    before: before ?? "allow",
    after: after ?? "allow",
    ...change,
    ...place,
  })),
  ...remarksJson(remarks),
});
