import { type EventRow, eventRow } from "../protocol/event.ts";
import type { HookRecord, RunRecord } from "../protocol/run-record.ts";
import { truncateEscaped } from "../protocol/text.ts";
import { changeText } from "./change-text.ts";
import { warningLine } from "./problem-text.ts";
import type { Style } from "./style.ts";

export interface TryTextInput {
  readonly run: RunRecord;
  /** The payload as the hook got it. */
  readonly payload: string;
}

/** One hook explained in a few lines: what it got, what it said, how long that took, and what it means. */
export function tryText({ run, payload }: TryTextInput, style: Style): string {
  const [hook] = run.hooks;
  if (hook === undefined) return "";
  const took = hook.why === null ? `   ${Math.round(hook.duration_ms)} ms${exitText(hook)}` : "";
  const lines = [
    `${style.strong(truncateEscaped(hook.name, 60))}   ${style.faint(truncateEscaped(hook.path, 160))}`,
    `  got    ${run.event}  ${truncateEscaped(payload, 400)}`,
    `  said   ${truncateEscaped(responseText(hook, run), 600)}${took}`,
    `  means  ${resultText(hook, run, style)}`,
    ...(hook.failure === null ? [] : [`         ${truncateEscaped(hook.failure.hint, 300)}`]),
  ];
  const told = run.warnings.filter((warning) => warning !== hook.failure?.message);
  return lines.map((line) => `${line}\n`).join("") + told.map((warning) => warningLine(warning, style)).join("");
}

const exitText = ({ exit_code, signal }: HookRecord): string =>
  exit_code !== null ? `, exit ${exit_code}` : signal === null ? "" : `, ${signal}`;

function responseText(hook: HookRecord, run: RunRecord): string {
  if (hook.why !== null) return "nothing: it was not asked";
  if (hook.failure !== null) return `nothing that counts: ${hook.failure.message}`;
  const added = hook.added.length === 0 ? "" : `, and ${hook.added.join(", ")}`;
  if (hook.outcome === "block") return `block: ${run.reason ?? ""}`;
  if (run.decision === "ask") return `ask the user: ${run.reason ?? ""}`;
  if (hook.change !== null) return `a new ${targetWords(eventRow(run.event))}: ${changesOf(run)}${added}`;
  return `nothing against it${added}`;
}

const targetWords = ({ target }: EventRow): string => [target ?? "value"].flat().join(" and ");

const changesOf = ({ changes }: RunRecord): string =>
  changes.map(({ path, before, after }) => `${path} ${changeText(before ?? "(none)", after ?? "(none)")}`).join(", ");

function resultText(hook: HookRecord, run: RunRecord, style: Style): string {
  if (hook.why !== null) return style.warn(`▲ It has no turn here: ${truncateEscaped(hook.why, 200)}`);
  switch (run.decision) {
    case "block":
      return style.bad(`✖ Blocked: what was about to happen does not happen${sinceItFailed(hook)}`);
    case "halt":
      return style.bad(`✖ Halted: it has happened, and the agent should stop${sinceItFailed(hook)}`);
    case "ask":
      return style.bad("✖ Asks first: it happens only if the user agrees");
    case "continue":
      return allowedText(hook, run, style);
  }
}

const sinceItFailed = ({ failure }: HookRecord): string => (failure === null ? "" : ": this hook blocks on error");

function allowedText(hook: HookRecord, run: RunRecord, style: Style): string {
  if (hook.failure !== null) {
    const why = hook.fail_open ? "this hook does not block on error" : "no hook can block this event";
    return style.warn(`▲ Going on: ${why}`);
  }
  if (hook.outcome === "observed") return style.good("✔ Going on: it observes, and decides nothing");
  if (hook.outcome === "block") return style.warn("▲ Going on: no hook can block this event");
  const followUps = run.verdict.followUps.length;
  const extra =
    hook.change !== null ? ", with the new value" : followUps > 0 ? ", and the agent is asked to continue" : "";
  return style.good(`✔ Going on${extra}`);
}
