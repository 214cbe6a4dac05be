import { shellQuote } from "../protocol/text/shell-quote.ts";
import { escapeControls, truncateEscaped } from "../protocol/text/text.ts";
import { warningLine } from "./problem-text.ts";
import { column, type Style } from "./text-style.ts";

/** One run in the audit log. */
export interface RunRow {
  /** As a clock shows it. */
  readonly time: string;
  readonly runId: string;
  readonly event: string;
  readonly tool: string;
  readonly decision: string;
  readonly decidedBy: string;
  readonly durationMs: number;
}

/** One shell command of Reyn's that a run started. */
export interface ShellRow {
  readonly runId: string;
  readonly scheme: string;
  readonly command: string;
  readonly rc: number;
}

/** A hook that a person switched off for a while, or on again before the time. */
export interface PauseRow {
  readonly time: string;
  readonly hook: string;
  /** When it was to end; null: this is its early end. */
  readonly endText: string | null;
  /** Null: everywhere. */
  readonly project: string | null;
  readonly by: string;
  /** The run that followed; null: none did. */
  readonly nextRunId: string | null;
}

interface LogEntries {
  readonly runs: readonly RunRow[];
  readonly shells: readonly ShellRow[];
  readonly pauses: readonly PauseRow[];
}

const DECISIONS: Readonly<Record<string, string>> = {
  continue: "✔ allow",
  block: "✖ block",
  halt: "✖ halt",
  ask: "✖ ask",
};
const DECISION_WIDTH = 7;

/** The runs, newest last: one line each, after the pauses before it and followed by the shell commands that it started. */
export function logText({ runs, shells, pauses }: LogEntries, style: Style): string {
  const widths = {
    time: widest(runs.map(({ time }) => time)),
    event: widest(runs.map(({ event }) => truncateEscaped(event, 40))),
    tool: widest(runs.map(({ tool }) => truncateEscaped(tool, 40))),
    decider: widest(runs.map(({ decidedBy }) => truncateEscaped(decidedBy, 40))),
  };
  const pausesBefore = (runId: string | null): string =>
    pauses
      .filter(({ nextRunId }) => nextRunId === runId)
      .map((one) => pauseLine(one, style))
      .join("");
  const lines = runs
    .map((run) => {
      const own = shells.filter(({ runId }) => runId === run.runId).map(shellLine);
      const head = [column(run.time, widths.time), column(truncateEscaped(run.event, 40), widths.event)];
      const tool = widths.tool === 0 ? [] : [column(truncateEscaped(run.tool, 40), widths.tool)];
      const by = widths.decider === 0 ? [] : [column(truncateEscaped(run.decidedBy, 40), widths.decider)];
      const cells = [
        ...head,
        ...tool,
        decisionText(run, style),
        ...by,
        msText(run.durationMs),
        truncateEscaped(run.runId, 26),
      ];
      return `${pausesBefore(run.runId)}${cells.join("  ")}\n${own.join("")}`;
    })
    .join("");
  return lines + pausesBefore(null);
}

function pauseLine({ time, hook, endText, project, by }: PauseRow, style: Style): string {
  const state = endText === null ? "on again" : `off until ${endText}`;
  const place = project === null ? "everywhere" : `in ${truncateEscaped(project, 200)}`;
  const text = `${time}  ${truncateEscaped(hook, 80)} ${state} ${place}, by ${truncateEscaped(by, 40)}`;
  return `${style.warn(text)}\n`;
}

/** In Reyn's format: an exit code of 0 is not shown. */
const shellLine = ({ scheme, command, rc }: ShellRow): string =>
  `  ${escapeControls(scheme)}: ${truncateEscaped(command, 400)}${rc === 0 ? "" : ` [rc=${rc}]`}\n`;

function decisionText({ decision }: Pick<RunRow, "decision">, style: Style): string {
  const words = column(DECISIONS[decision] ?? truncateEscaped(decision, 20), DECISION_WIDTH);
  return decision === "continue" ? style.good(words) : style.bad(words);
}

const msText = (ms: number): string => `${Math.round(ms)} ms`.padStart(8);

const widest = (texts: readonly string[]): number => Math.max(0, ...texts.map((text) => text.length));

/** One run with all that the record holds of it. */
export interface ExplainedRun extends RunRow {
  readonly reason: string;
  readonly hooks: readonly ExplainedHook[];
  readonly warnings: readonly string[];
  readonly shells: readonly ShellRow[];
  /** Path, approval and content of the hook that decided; empty where none did. */
  readonly decider: readonly string[];
  /** The rule of the built-in guard that decided, and the part of the command; null: another hook did. */
  readonly finding: { readonly guard: string; readonly rule: string; readonly part: string } | null;
}

export interface ExplainedHook {
  readonly name: string;
  readonly outcome: string;
  readonly durationMs: number;
  /** The code of a failure, or why it was passed over. */
  readonly why: string;
  readonly hasChanged: boolean;
}

const HEAD_WIDTH = 59;

/** Why one run ended as it did, in a few lines. */
export function whyText(run: ExplainedRun, style: Style): string {
  const names = run.hooks.map(({ name }) => truncateEscaped(name, 40));
  const width = Math.max(0, ...names.map((name) => name.length));
  const outcomes = Math.max(0, ...run.hooks.map(({ outcome }) => truncateEscaped(outcome, 20).length));
  const head = [run.time, truncateEscaped(run.event, 40), truncateEscaped(run.tool, 40)].join("  ");
  const hooks = run.hooks.map((hook, index) => {
    const cells = [column(names[index] ?? "", width), column(truncateEscaped(hook.outcome, 20), outcomes)];
    const time = `${Math.round(hook.durationMs)} ms`;
    return `  ${[...cells, time, outcomeReason(hook, run)].filter((cell) => cell !== "").join("   ")}\n`;
  });
  return [
    `${column(head, HEAD_WIDTH)}${decisionText(run, style).trimEnd()} ${msText(run.durationMs)}\n`,
    ...hooks,
    ...deciderLines(run),
    ...findingLines(run),
    ...run.shells.map(shellLine),
    ...run.warnings.map((warning) => `  ${warningLine(truncateEscaped(warning, 400), style)}`),
    "Recent runs: hookctl log\n",
  ].join("");
}

function findingLines({ finding }: ExplainedRun): readonly string[] {
  if (finding === null) return [];
  const { guard, rule, part } = finding;
  const command = truncateEscaped(shellQuote(part), 200);
  return [`  rule ${truncateEscaped(`${guard}/${rule}`, 80)}; step by step: hookctl explain ${command}\n`];
}

function outcomeReason(hook: ExplainedHook, run: ExplainedRun): string {
  if (hook.name === run.decidedBy && run.reason !== "") return truncateEscaped(run.reason, 300);
  if (hook.why !== "") return truncateEscaped(hook.why, 120);
  return hook.hasChanged ? "changed the value" : "";
}

/** The reason of a decision that no hook made, such as the turn limit's, on its own line. */
function deciderLines(run: ExplainedRun): readonly string[] {
  const isHook = run.hooks.some(({ name }) => name === run.decidedBy);
  const other =
    run.decidedBy !== "" && !isHook
      ? [`  ${truncateEscaped(run.decidedBy, 60)}   ${truncateEscaped(run.reason, 300)}\n`]
      : [];
  return run.decider.length === 0
    ? other
    : [...other, `  ${run.decider.map((one) => truncateEscaped(one, 200)).join(", ")}\n`];
}
