import { eventRow } from "../contract/event.ts";
import { membersOf, readJson } from "../contract/json.ts";
import { clipped } from "../contract/json-text.ts";
import type { HookRecord, RunRecord } from "../contract/run-record.ts";
import type { Outcome, VerdictDecision } from "../contract/verdict.ts";
import { column, counted, type Style } from "./style.ts";

const BAR_CELLS = 20;
const OUTCOME_WORDS: Readonly<Record<Outcome, string>> = {
  continue: "✔ allow",
  block: "✖ block",
  modify: "✎ changed input",
  replace: "✎ replaced, chain ends",
  observed: "• observed",
  failed: "▲ failed",
  refused: "▲ not started",
  skipped: "• skipped",
};
const DECISION_WORDS: Readonly<Record<VerdictDecision, string>> = {
  continue: "✔ Allowed",
  block: "✖ Blocked",
  halt: "✖ Halted",
  ask: "✖ Asks first",
};

/** The story of a run for stderr: where the time went, who changed what, and what was decided. */
export function runText(run: RunRecord, style: Style): string {
  if (run.hooks.every((hook) => hook.why !== null)) return warningLines(run, style);
  return timeline(run, style) + failures(run, style) + warningLines(run, style) + decision(run, style);
}

function timeline(run: RunRecord, style: Style): string {
  const shown = run.hooks.filter((hook) => hook.outcome !== "skipped" && hook.outcome !== "refused");
  const total = shown.reduce((sum, hook) => sum + hook.duration_ms, 0) || 1;
  const width = Math.max(0, ...shown.map((hook) => clipped(hook.name, 40).length));
  let before = 0;
  return shown
    .map((hook) => {
      const bar = barOf(before / total, hook.duration_ms / total);
      before += hook.duration_ms;
      const time = `${Math.round(hook.duration_ms)} ms`.padStart(8);
      return `  ${column(clipped(hook.name, 40), width)}   ${style.faint(bar)} ${time}   ${outcomeText(hook, run, style)}\n`;
    })
    .join("");
}

function barOf(start: number, share: number): string {
  const from = Math.min(BAR_CELLS - 1, Math.floor(start * BAR_CELLS));
  const length = Math.max(1, Math.min(BAR_CELLS - from, Math.round(share * BAR_CELLS)));
  return "░".repeat(from) + "█".repeat(length) + "░".repeat(BAR_CELLS - from - length);
}

function outcomeText(hook: HookRecord, run: RunRecord, style: Style): string {
  const words = OUTCOME_WORDS[hook.outcome];
  if (hook.outcome === "modify") return style.strong(`✎ changed ${changedSide(run)}`);
  if (hook.outcome === "block") return style.bad(words);
  return hook.outcome === "failed" ? style.warn(words) : style.good(words);
}

/** Each failure once, with what it means for the chain and what to do about it. */
function failures(run: RunRecord, style: Style): string {
  return run.hooks
    .filter((hook) => hook.failure !== null && hook.why === null && run.decided_by !== hook.name)
    .map((hook) => failureText(hook, style))
    .join("");
}

function failureText(hook: HookRecord, style: Style): string {
  const { message, hint } = hook.failure ?? { message: "", hint: "" };
  if (hook.outcome === "refused") return `${style.warn("▲")} ${message}. ${hint}\n`;
  return `${style.warn("▲")} ${message}\n  Going on: this hook does not block on error. ${hint}\n`;
}

function warningLines(run: RunRecord, style: Style): string {
  const told = new Set(run.hooks.map((hook) => hook.failure?.message));
  return run.warnings
    .filter((warning) => !told.has(warning))
    .map((warning) => `${style.warn("▲")} ${warning}\n`)
    .join("");
}

function decision(run: RunRecord, style: Style): string {
  const counts = `${counted(run.hooks.length, "hook")}, ${Math.round(run.duration_ms)} ms`;
  if (run.decision === "continue") {
    return `${style.good(goingOn(run))}     ${style.faint(counts)}\n${changes(run)}`;
  }
  const decider = run.hooks.find((hook) => hook.name === run.decided_by);
  const name = clipped(run.decided_by ?? "", 80);
  if (decider?.failure != null) {
    return `${style.bad(`${DECISION_WORDS[run.decision]}:`)} ${clipped(run.reason ?? "", 400)}\n  This hook blocks on error. ${decider.failure.hint}\n`;
  }
  return `${style.bad(`${DECISION_WORDS[run.decision]} by ${name}`)}\n  ${clipped(run.reason ?? "", 600)}\n`;
}

function goingOn(run: RunRecord): string {
  if (run.verdict.change !== null) {
    const names = run.hooks.filter((hook) => hook.change !== null).map((hook) => clipped(hook.name, 40));
    return `${DECISION_WORDS.continue}, ${changedSide(run)} changed by ${names.join(", ")}`;
  }
  return eventRow(run.event).onBlock === "deny" ? DECISION_WORDS.continue : "✔ Going on";
}

const changedSide = (run: RunRecord): string => (eventRow(run.event).phase === "pre" ? "input" : "output");

/** The members of the target that are different now, one a line. */
function changes({ verdict }: RunRecord): string {
  if (verdict.change === null) return "";
  const [before, after] = [membersIn(verdict.original), membersIn(verdict.change)];
  const { target } = eventRow(verdict.event);
  const prefix = typeof target === "string" ? target : "input";
  const keys = [...new Set([...before.keys(), ...after.keys()])].filter((key) => before.get(key) !== after.get(key));
  return keys
    .map(
      (key) =>
        `    ${key === "" ? prefix : `${prefix}.${clipped(key, 40)}`}   ${shown(before.get(key))} → ${shown(after.get(key))}\n`,
    )
    .join("");
}

/** Member -> raw text; a value that is no object is one nameless member. */
function membersIn(raw: string | null): ReadonlyMap<string, string> {
  const read = raw === null ? null : readJson(raw, Number.POSITIVE_INFINITY);
  if (!read?.ok) return new Map();
  if (read.value.kind !== "object") return new Map([["", read.value.raw]]);
  return new Map([...membersOf(read.value)].map(([key, span]) => [key, span.raw]));
}

const shown = (raw: string | undefined): string => (raw === undefined ? "(none)" : clipped(raw, 60));
