import { escapeControls, truncateEscaped } from "../protocol/text/text.ts";
import { column, type Style } from "./text-style.ts";

/** One run in the audit log. */
export interface LoggedRun {
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
export interface LoggedShell {
  readonly runId: string;
  readonly scheme: string;
  readonly command: string;
  readonly rc: number;
}

const DECISIONS: Readonly<Record<string, string>> = {
  continue: "✔ allow",
  block: "✖ block",
  halt: "✖ halt",
  ask: "✖ ask",
};
const DECISION_WIDTH = 7;

/** The runs, newest last: one line each, followed by the shell commands that it started. */
export function logText(runs: readonly LoggedRun[], shells: readonly LoggedShell[], style: Style): string {
  const widths = {
    time: widest(runs.map(({ time }) => time)),
    event: widest(runs.map(({ event }) => truncateEscaped(event, 40))),
    tool: widest(runs.map(({ tool }) => truncateEscaped(tool, 40))),
    decider: widest(runs.map(({ decidedBy }) => truncateEscaped(decidedBy, 40))),
  };
  return runs
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
      return `${cells.join("  ")}\n${own.join("")}`;
    })
    .join("");
}

/** In Reyn's format: an exit code of 0 is not shown. */
export const shellLine = ({ scheme, command, rc }: LoggedShell): string =>
  `  ${escapeControls(scheme)}: ${truncateEscaped(command, 400)}${rc === 0 ? "" : ` [rc=${rc}]`}\n`;

export function decisionText({ decision }: Pick<LoggedRun, "decision">, style: Style): string {
  const words = column(DECISIONS[decision] ?? truncateEscaped(decision, 20), DECISION_WIDTH);
  return decision === "continue" ? style.good(words) : style.bad(words);
}

export const msText = (ms: number): string => `${Math.round(ms)} ms`.padStart(8);

const widest = (texts: readonly string[]): number => Math.max(0, ...texts.map((text) => text.length));
