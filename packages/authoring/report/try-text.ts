import { additionNames, hasAdditions } from "../../../src/protocol/additions.ts";
import { EVENT_ROWS, type EventRow } from "../../../src/protocol/event.ts";
import type { HookRecord, RunRecord } from "../../../src/protocol/run-record.ts";
import { truncateEscaped } from "../../../src/protocol/text/text.ts";
import { mismatchText } from "../../../src/report/mismatch-text.ts";
import { warningLine } from "../../../src/report/problem-text.ts";
import { changeText } from "../../../src/report/run/run-text.ts";
import type { Style } from "../../../src/report/text-style.ts";

export interface TryTextInput {
  readonly run: RunRecord;
  /** The payload as the hook got it. */
  readonly payload: string;
}

/** One hook in a few lines: its payload, its output, its duration and the resulting decision. */
export function tryText({ run, payload }: TryTextInput, style: Style): string {
  const [hook] = run.hooks;
  if (hook === undefined) return "";
  const took = hook.why === null ? `   ${Math.round(hook.duration_ms)} ms${exitText(hook)}` : "";
  const lines = [
    `${style.strong(truncateEscaped(hook.name, 60))}   ${style.faint(truncateEscaped(hook.path, 160))}`,
    `  input   ${run.verdict.event}  ${truncateEscaped(payload, 400)}`,
    `  output  ${truncateEscaped(responseText(hook, run), 600)}${took}`,
    `  result  ${resultText(hook, run, style)}`,
    ...(hook.failure === null ? [] : [`          ${truncateEscaped(hook.failure.hint, 300)}`]),
  ];
  const otherWarnings = run.verdict.warnings.filter((warning) => warning !== hook.failure?.message);
  return (
    lines.map((line) => `${line}\n`).join("") + otherWarnings.map((warning) => warningLine(warning, style)).join("")
  );
}

const exitText = ({ exit_code, signal }: HookRecord): string =>
  exit_code !== null ? `, exit ${exit_code}` : signal === null ? "" : `, ${signal}`;

function responseText(hook: HookRecord, run: RunRecord): string {
  if (hook.why !== null) return "none: the hook was not run";
  if (hook.failure !== null) return `no valid response: ${hook.failure.message}`;
  const added = hasAdditions(hook.added) ? `, and ${additionNames(hook.added)}` : "";
  if (hook.outcome === "block") return `block: ${run.verdict.reason ?? ""}`;
  if (run.verdict.decision === "ask") return `ask the user: ${run.verdict.reason ?? ""}`;
  if (hook.change !== null) return `a new ${targetWords(EVENT_ROWS[run.verdict.event])}: ${changesOf(run)}${added}`;
  return `allow${added}`;
}

const targetWords = ({ target }: EventRow): string => [target ?? "value"].flat().join(" and ");

const changesOf = ({ changes }: RunRecord): string =>
  changes.map(({ path, before, after }) => `${path} ${changeText(before ?? "(none)", after ?? "(none)")}`).join(", ");

function resultText(hook: HookRecord, run: RunRecord, style: Style): string {
  if (hook.mismatch !== null) return style.warn(`▲ Skipped: it ${truncateEscaped(mismatchText(hook.mismatch), 400)}`);
  if (hook.why !== null) return style.warn(`▲ Skipped: ${truncateEscaped(hook.why, 200)}`);
  switch (run.verdict.decision) {
    case "block":
      return style.bad(`✖ Blocked${sinceItFailed(hook)}`);
    case "halt":
      return style.bad(`✖ Halted: the agent must stop${sinceItFailed(hook)}`);
    case "ask":
      return style.bad("✖ Confirmation required: it runs only if the user agrees");
    case "continue":
      return allowedText(hook, run, style);
  }
}

const sinceItFailed = ({ failure }: HookRecord): string => (failure === null ? "" : ": this hook is fail-closed");

function allowedText(hook: HookRecord, run: RunRecord, style: Style): string {
  if (hook.failure !== null) {
    const why = hook.fail_open ? "this hook is fail-open" : "this event cannot be blocked";
    return style.warn(`▲ Allowed: ${why}`);
  }
  if (hook.outcome === "observed") return style.good("✔ Allowed: an observer cannot block");
  if (hook.outcome === "block") return style.warn("▲ Allowed: this event cannot be blocked");
  const followUps = run.verdict.followUps.length;
  const extra =
    hook.change !== null ? ", with the new value" : followUps > 0 ? ", and the agent gets a follow-up message" : "";
  return style.good(`✔ Allowed${extra}`);
}
