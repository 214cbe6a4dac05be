import type { JsonRecord } from "../../../src/protocol/json/write.ts";
import { groupDigits, pluralize } from "../../../src/protocol/text/count.ts";
import { escapeControls, truncateEscaped } from "../../../src/protocol/text/text.ts";
import { nameColumn, type Style } from "../../../src/report/text-style.ts";
import { type FoundCalls, NOT_JUDGED, type NotJudged } from "../replay/found-calls.ts";
import { ALARM_KINDS, type AlarmKind } from "../replay/judge-records.ts";
import type { LeftOutHook } from "../replay/replay-project.ts";
import { byCount, type DecisionChange, type Habit, type HookTally, type Tally, total } from "../replay/tally.ts";

export interface BacktestReport {
  readonly found: FoundCalls;
  readonly tally: Tally;
  readonly leftOut: readonly LeftOutHook[];
  readonly notJudged: readonly NotJudged[];
}

/** A report about two revisions of the hooks: those of `base`, and those of today. */
export interface CompareReport extends BacktestReport {
  readonly base: string;
}

interface TextView {
  readonly style: Style;
  readonly isVerbose: boolean;
}

const DONE: Readonly<Record<AlarmKind, string>> = { block: "blocked", ask: "asked", change: "changed" };
const SHOWN_HABITS = 8;
const SHOWN_CHANGES = 30;
const EXAMPLE_LENGTH = 100;

/** What the current hooks would have decided about recorded calls: a summary, and the stopped habits of each hook. */
export function backtestText(report: BacktestReport, view: TextView): string {
  const { hooks, judged } = report.tally;
  const named = nameColumn([...hooks.keys()]);
  const texts = byAlarms(hooks).map(([hook, tally]) => hookText(named(hook), tally, judged, view));
  return paragraphs([summary(report, view), texts.join("\n"), ...remarks(report, view)]);
}

/** The calls about which two revisions of the hooks decide differently. */
export function compareText(report: CompareReport, view: TextView): string {
  const { judged, differing, changes } = report.tally;
  const { style } = view;
  const head = `${pluralize(judged, "call")} judged by the hooks of ${escapeControls(report.base)} and by today's: `;
  const result =
    differing === 0 ? style.good("no decision differs") : style.bad(`${groupDigits(differing)} decided differently`);
  const shown = firstForms(byCount(changes), SHOWN_CHANGES, view, changeText);
  return paragraphs([`${head}${result}\n`, shown, ...remarks(report, view)]);
}

const paragraphs = (parts: readonly string[]): string => parts.filter((part) => part !== "").join("\n");

const byAlarms = (hooks: Tally["hooks"]): readonly (readonly [string, HookTally])[] =>
  [...hooks].sort(([, a], [, b]) => total(b.counts) - total(a.counts));

function remarks({ leftOut, notJudged }: BacktestReport, { style }: TextView): readonly string[] {
  const warnings = leftOut.map(
    ({ name, why }) => `${style.warn("▲")} ${escapeControls(`${name} did not judge: ${why}`)}\n`,
  );
  return [warnings.join(""), notJudged.map((one) => `• ${notJudgedText(one)}\n`).join("")];
}

export function notJudgedText({ what, count, detail }: NotJudged): string {
  if (what === "agents") return escapeControls(detail);
  const { one, many } = NOT_JUDGED[what];
  return `${pluralize(count, one, many)}${detail === "" ? "" : `: ${escapeControls(detail)}`}`;
}

function summary({ found, tally }: BacktestReport, { style }: TextView): string {
  const { calls, sessions, times } = found;
  const by = agentsOf(found).map(([agent, count]) => `${agent} ${groupDigits(count)}`);
  const when = times === null ? "" : `, ${dayOf(times.first)} to ${dayOf(times.last)}`;
  const { judged, judgedByDefaults: defaults, decisions } = tally;
  const done = ALARM_KINDS.map((kind) => `${groupDigits(decisions[kind])} ${DONE[kind]}`).join(", ");
  const which = defaults === judged ? "No hook is on" : `No hook is on for ${groupDigits(defaults)} of them`;
  const guards = defaults === 0 ? "" : `${which}: all built-in guards judged, with their defaults.\n`;
  return (
    `${pluralize(calls, "call")} of ${pluralize(sessions.size, "session")} (${by.join(", ")}${when})\n` +
    `${style.strong(`would have been: ${done}`)} (${perThousand(total(decisions), judged)} per 1,000 calls)\n${guards}`
  );
}

/** The agents with most calls first. */
const agentsOf = ({ callsByAgent }: FoundCalls): readonly (readonly [string, number])[] =>
  [...callsByAgent].sort(([, a], [, b]) => b - a);

const perThousand = (count: number, of: number): string => (of === 0 ? "0" : ((count * 1000) / of).toFixed(1));
const dayOf = (time: string): string => escapeControls(time.slice(0, 10));

function hookText(name: string, tally: HookTally, judged: number, view: TextView): string {
  const { counts, habits, otherCalls, isObserver } = tally;
  const done = ALARM_KINDS.filter((kind) => counts[kind] > 0).map(
    (kind) => `${groupDigits(counts[kind])} ${DONE[kind]}`,
  );
  const rate = `${perThousand(total(counts), judged)} per 1,000${isObserver ? " (observes only)" : ""}`;
  const others = otherCalls > 0 ? `  … ${pluralize(otherCalls, "call")} of other forms\n` : "";
  const shown = firstForms(byCount(habits), SHOWN_HABITS, view, habitText);
  return `${view.style.strong(name)} ${done.join(", ")}: ${rate}\n${shown}${others}`;
}

/** The most frequent forms of calls, each with its example. */
function firstForms<T extends Habit | DecisionChange>(
  forms: readonly T[],
  most: number,
  { style, isVerbose }: TextView,
  textOf: (form: T, style: Style) => string,
): string {
  const shown = isVerbose ? forms : forms.slice(0, most);
  const hidden = forms.length - shown.length;
  const more = hidden > 0 ? `  … ${pluralize(hidden, "more repeated command")} (-v)\n` : "";
  return shown.map((form) => `  ${textOf(form, style)}\n${exampleLine(form, style)}`).join("") + more;
}

function habitText({ kind, rule, habit, count }: Habit, style: Style): string {
  const word = kind === "block" ? style.bad(kind) : style.warn(kind);
  const named = rule === null ? "" : ` ${style.faint(rule)}`;
  return `${String(count).padStart(5)} × ${word} ${truncateEscaped(habit, EXAMPLE_LENGTH)}${named}`;
}

function changeText({ before, after, hook, habit, count }: DecisionChange, style: Style): string {
  const named = hook === null ? "" : ` ${style.faint(escapeControls(hook))}`;
  const change = style.strong(`${before ?? "allow"} → ${after ?? "allow"}`);
  return `${String(count).padStart(5)} × ${change} ${truncateEscaped(habit, EXAMPLE_LENGTH)}${named}`;
}

function exampleLine({ example, place: { agent, time, session } }: Habit | DecisionChange, style: Style): string {
  const where = [agent ?? "hookctl", time === null ? "" : dayOf(time), session.slice(0, 8)];
  const named = where.filter((part) => part !== "").map(escapeControls);
  return `${style.faint(`          ${truncateEscaped(example, EXAMPLE_LENGTH)}  ${named.join(" ")}`)}\n`;
}

const SCHEMA = "hookctl.backtest/1";

/** The same data as the text. */
export function backtestJson(report: BacktestReport): JsonRecord {
  const { calls, sessions, times } = report.found;
  const { judged, judgedByDefaults, decisions, hooks } = report.tally;
  return {
    schema: SCHEMA,
    calls,
    judged,
    sessions: sessions.size,
    agents: Object.fromEntries(agentsOf(report.found)),
    first: times?.first ?? null,
    last: times?.last ?? null,
    ...countsJson(decisions),
    judged_by_defaults: judgedByDefaults,
    hooks: byAlarms(hooks).map(([name, { isObserver, counts, habits, otherCalls }]) => ({
      name,
      observe: isObserver,
      ...countsJson(counts),
      per_thousand: judged === 0 ? 0 : (total(counts) * 1000) / judged,
      habits: byCount(habits).map(({ kind, place, ...habit }) => ({ decision: kind, ...habit, ...place })),
      other_calls: otherCalls,
    })),
    ...remarksJson(report),
  };
}

const countsJson = ({ block, ask, change }: HookTally["counts"]) => ({ blocked: block, asked: ask, changed: change });

const remarksJson = ({ leftOut, notJudged }: BacktestReport): JsonRecord => ({
  left_out: leftOut.map((hook) => ({ ...hook })),
  not_judged: notJudged.map(({ what, count, detail }) => ({ what, count, detail })),
});

/** The calls about which two revisions decide differently. */
export const compareJson = ({ base, ...report }: CompareReport): JsonRecord => ({
  schema: SCHEMA,
  base,
  calls: report.found.calls,
  judged: report.tally.judged,
  differing: report.tally.differing,
  changes: byCount(report.tally.changes).map(({ before, after, place, ...change }) => ({
    before: before ?? "allow",
    after: after ?? "allow",
    ...change,
    ...place,
  })),
  ...remarksJson(report),
});
