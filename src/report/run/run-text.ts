import { additionNames, hasAdditions } from "../../protocol/additions.ts";
import { EVENT_ROWS } from "../../protocol/event.ts";
import { isLostGuard } from "../../protocol/problem.ts";
import type { HookRecord, RunRecord } from "../../protocol/run-record.ts";
import { pluralize } from "../../protocol/text/count.ts";
import { escapeControls, truncateEscaped } from "../../protocol/text/text.ts";
import type { Outcome, VerdictDecision } from "../../protocol/verdict.ts";
import { warningLine } from "../problem-text.ts";
import { column, type Style } from "../text-style.ts";

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
const DECISION_WORDS: Readonly<Record<Exclude<VerdictDecision, "continue">, string>> = {
  block: "✖ Blocked",
  halt: "✖ Halted",
  ask: "✖ Confirmation required",
};

/** The report of a run for stderr: the duration and outcome of each hook, failures, warnings and the decision. */
export function runText(run: RunRecord, style: Style): string {
  if (run.hooks.every((hook) => hook.why !== null)) return warningLines(run, style);
  return timeline(run, style) + failures(run, style) + warningLines(run, style) + decision(run, style);
}

function timeline(run: RunRecord, style: Style): string {
  const started = run.hooks.filter((hook) => hook.outcome !== "skipped" && hook.outcome !== "refused");
  const silent = started.filter((hook) => isSilentGuard(hook, run));
  const shown = silent.length < 2 ? started : started.filter((hook) => !silent.includes(hook));
  const total = started.reduce((sum, hook) => sum + hook.duration_ms, 0) || 1;
  const width = Math.max(0, ...shown.map((hook) => truncateEscaped(hook.name, 40).length));
  let before = 0;
  const lines = shown
    .map((hook) => {
      const bar = barOf(before / total, hook.duration_ms / total);
      before += hook.duration_ms;
      const time = `${Math.round(hook.duration_ms)} ms`.padStart(8);
      return `  ${column(truncateEscaped(hook.name, 40), width)}   ${style.faint(bar)} ${time}   ${outcomeText(hook, run, style)}\n`;
    })
    .join("");
  const names = silent.map(({ name }) => name).join(", ");
  return shown === started ? lines : `${lines}  ${style.good("✔ allow")}   ${style.faint(`by ${names}`)}\n`;
}

/** Guards without a finding share a line: there are many of them in each call. */
const isSilentGuard = ({ kind, name, outcome }: HookRecord, { verdict }: RunRecord): boolean =>
  kind === "guard" && outcome === "continue" && verdict.decidedBy !== name;

function barOf(start: number, share: number): string {
  const from = Math.min(BAR_CELLS - 1, Math.floor(start * BAR_CELLS));
  const length = Math.max(1, Math.min(BAR_CELLS - from, Math.round(share * BAR_CELLS)));
  return "░".repeat(from) + "█".repeat(length) + "░".repeat(BAR_CELLS - from - length);
}

function outcomeText(hook: HookRecord, run: RunRecord, style: Style): string {
  const words = OUTCOME_WORDS[hook.outcome];
  if (run.verdict.decision === "ask" && run.verdict.decidedBy === hook.name) return style.bad("✖ ask");
  if (hook.failed !== null && hook.outcome !== "failed" && hook.outcome !== "block") {
    return style.good(`• notified that ${truncateEscaped(hook.failed.name, 40)} failed`);
  }
  if (hook.outcome === "modify") return style.strong(`✎ changed ${changedSide(run)}`);
  if (hook.outcome === "continue" && hasAdditions(hook.added))
    return style.strong(`✚ added ${additionNames(hook.added)}`);
  if (hook.ended_by !== null && hook.outcome !== "failed") return style.bad(`✖ blocked (${hook.ended_by})`);
  if (hook.outcome === "block") return style.bad(words);
  return hook.outcome === "failed" ? style.warn(words) : style.good(words);
}

/** Each failure once, with its effect on the decision and a hint. */
function failures(run: RunRecord, style: Style): string {
  return run.hooks
    .filter((hook) => hook.failure !== null && hook.why === null && hook !== deciderOf(run))
    .map((hook) => failureText(hook, style))
    .join("");
}

function failureText(hook: HookRecord, style: Style): string {
  const [message, hint] = [escapeControls(hook.failure?.message ?? ""), escapeControls(hook.failure?.hint ?? "")];
  if (hook.outcome === "refused") return `${style.warn("▲")} ${message}. ${hint}\n`;
  const why = hook.fail_open ? "this hook is fail-open" : "this event cannot be blocked";
  return `${style.warn("▲")} ${message}\n  Allowed: ${why}. ${hint}\n`;
}

function warningLines(run: RunRecord, style: Style): string {
  const failureMessages = new Set(run.hooks.map((hook) => hook.failure?.message));
  return run.verdict.warnings
    .filter((warning) => !failureMessages.has(warning))
    .map((warning) => warningLine(warning, style))
    .join("");
}

function decision(run: RunRecord, style: Style): string {
  const invoked = run.hooks.filter((hook) => hook.why === null).length;
  const counts = `${pluralize(invoked, "hook")}, ${Math.round(run.duration_ms)} ms`;
  if (run.verdict.decision === "continue") {
    return `${allowedText(run, style)}     ${style.faint(counts)}\n${changeLines(run)}`;
  }
  const decider = deciderOf(run);
  const name = truncateEscaped(run.verdict.decidedBy ?? "", 80);
  if (decider?.failure != null && isMissingGuard(decider)) {
    return `${style.bad(`${DECISION_WORDS[run.verdict.decision]}:`)} ${escapeControls(decider.failure.message)}\n  ${escapeControls(decider.failure.hint)}\n`;
  }
  if (decider?.failure != null) {
    return `${style.bad(`${DECISION_WORDS[run.verdict.decision]}:`)} ${truncateEscaped(run.verdict.reason ?? "", 400)}\n  This hook is fail-closed. ${escapeControls(decider.failure.hint)}\n`;
  }
  return `${style.bad(`${DECISION_WORDS[run.verdict.decision]} by ${name}`)}\n  ${truncateEscaped(run.verdict.reason ?? "", 600)}\n`;
}

/** The hook that decided. If hooks share its name: the one that blocked, or else a failed one that is not fail-open. */
function deciderOf({ hooks, verdict: { decidedBy } }: RunRecord): HookRecord | undefined {
  const named = hooks.filter((hook) => hook.name === decidedBy && hook.why === null && isDecider(hook));
  return named.find((hook) => hook.failure === null) ?? named.find((hook) => !hook.fail_open || isMissingGuard(hook));
}

/** An `on_error` hook decides only if it blocks, or if it fails and is fail-closed. */
const isDecider = ({ failed, outcome, fail_open }: HookRecord): boolean =>
  failed === null || outcome === "block" || (outcome === "failed" && !fail_open);

/** The hook blocked because it could not be started. */
const isMissingGuard = ({ failure }: HookRecord): boolean => failure !== null && isLostGuard(failure);

/** Not green if a hook failed: the last line must not suggest that every guard checked the call. */
function allowedText(run: RunRecord, style: Style): string {
  const faulty = run.hooks.filter(({ failure, why }) => failure !== null && why === null);
  const result = `Allowed${effectText(run)}`;
  if (faulty.length === 0) return style.good(`✔ ${result}`);
  const notStarted = faulty.filter(({ outcome }) => outcome === "refused").length;
  const failed = faulty.length - notStarted;
  const counts = [
    ...(failed === 0 ? [] : [`${pluralize(failed, "hook")} failed`]),
    ...(notStarted === 0 ? [] : [`${pluralize(notStarted, "hook")} did not start`]),
  ];
  return style.warn(`▲ ${result}, but ${counts.join(" and ")}`);
}

function effectText(run: RunRecord): string {
  if (run.verdict.change !== null) {
    const names = run.hooks
      .filter((hook) => hook.change !== null && hook.failed === null)
      .map((hook) => truncateEscaped(hook.name, 40));
    return `, ${changedSide(run)} changed by ${names.join(", ")}`;
  }
  const followUps = run.verdict.followUps.length;
  return followUps === 0 ? "" : `, ${pluralize(followUps, "follow-up message")}`;
}

const changedSide = (run: RunRecord): string => (EVENT_ROWS[run.verdict.event].phase === "pre" ? "input" : "output");

/** The changed fields, one per line. */
function changeLines({ changes }: RunRecord): string {
  return changes
    .map(({ path, before, after }) => `    ${truncateEscaped(path, 60)}   ${changeText(shown(before), shown(after))}\n`)
    .join("");
}

const shown = (raw: string | null): string => (raw === null ? "(none)" : truncateEscaped(raw, 60));

/** The old and the new value as shown. They may differ only in a redacted secret or beyond the part that is shown. */
export const changeText = (before: string, after: string): string =>
  before === after ? `${after} (differs beyond the part shown)` : `${before} → ${after}`;

/** `-v`: the run's id and the metadata of hooks; `-vv`: also their stderr. */
export function verboseText(run: RunRecord, verbosity: number): string {
  if (verbosity === 0) return "";
  const metadata = Object.entries(run.verdict.metadata).map(
    ([hook, raw]) => `  ${truncateEscaped(hook, 80)} metadata ${truncateEscaped(raw, 400)}\n`,
  );
  return `  run ${run.run_id}\n${metadata.join("")}${verbosity > 1 ? run.hooks.map(stderrLines).join("") : ""}`;
}

function stderrLines({ name, stderr }: { readonly name: string; readonly stderr: string }): string {
  if (stderr === "") return "";
  const lines = stderr.trimEnd().split("\n");
  return lines.map((line) => `  ${truncateEscaped(name, 80)} | ${escapeControls(line)}\n`).join("");
}
