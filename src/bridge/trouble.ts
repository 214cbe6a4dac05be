import type { NativeEvent } from "../agents/agent.ts";
import { blockFormat } from "../agents/native-answer.ts";
import { type RunContext, remainingMs } from "../engine/run-context.ts";
import type { Host } from "../host.ts";
import { isOutOfResources } from "../process/outcome-problem.ts";
import { EXIT } from "../protocol/exit-code.ts";
import { type JsonRecord, printableJson } from "../protocol/json/write.ts";
import type { Problem } from "../protocol/problem.ts";
import type { RunRecord } from "../protocol/run-record.ts";
import { type Warning, warningText } from "../protocol/warning.ts";
import { problemText } from "../report/problem-text.ts";
import { PLAIN_STYLE } from "../report/style.ts";

/** Warnings that hookctl may not see all that the user has decided: where its settings, approvals or the project lie. */
const TROUBLING = ["NO_HOME", "TRUST_STORE_UNUSABLE", "PLACE_REFUSED", "USER_SETTINGS_LOST"] as const;
type TroublingWarning = Extract<Warning, { readonly code: (typeof TROUBLING)[number] }>;

/** Why hookctl cannot vouch for an answer. With `--fail-closed` each of them blocks what can be blocked. */
export type Trouble = Problem | TroublingWarning;

/** The troubles of a call whose hooks are known and were not asked yet. */
export interface Known {
  readonly problems: readonly Problem[];
  readonly warnings: readonly Warning[];
  readonly context: RunContext;
  /** Null: the folder that the agent works in is there. */
  readonly missingFolder: string | null;
}

/** The first trouble of a call, or null. Every kind stands here, so that none has a way of its own. */
export function troubleOf({ problems, warnings, context, missingFolder }: Known): Trouble | null {
  const [problem] = problems;
  if (problem !== undefined) return problem;
  const warning = warnings.find(isTroubling);
  if (warning !== undefined) return warning;
  if (missingFolder !== null) return { code: "PROJECT_MISSING", path: missingFolder, cause: "there is no such folder" };
  const { deadlineMs } = context.settings;
  return deadlineMs !== null && remainingMs(context) <= 0 ? { code: "DEADLINE_PASSED", deadlineMs } : null;
}

/** A hook that could not be started because the system had nothing left: what it would have said is not known. */
export function unaskedTrouble(records: readonly RunRecord[]): Trouble | null {
  const problems = records
    .flatMap(({ verdict }) => verdict.steps)
    .flatMap(({ result }) => (result === null || result.response.ok ? [] : [result.response.error]));
  return problems.find((one) => one.code === "HOOK_NOT_STARTED" && isOutOfResources(one.cause)) ?? null;
}

export const isTroubling = (one: { readonly code: string }): one is TroublingWarning =>
  TROUBLING.some((code) => code === one.code);

/** Whom a trouble is told, and what it means. */
export interface Asker {
  /** Null: not even the event is known. */
  readonly row: NativeEvent | null;
  /** Block what can be blocked: `--fail-closed`, or something that would have had a word may not have been heard. */
  readonly isClosed: boolean;
}

/** What cannot be answered: a block where that was asked for and can be said, else a word to the person. */
export function answerTrouble(trouble: Trouble, { row, isClosed }: Asker, host: Host): number {
  const text = isTroubling(trouble) ? `✖ ${warningText(trouble)}\n` : problemText(trouble, PLAIN_STYLE);
  host.err(text);
  const reason = `hookctl: ${text.trim()}`;
  const { notify } = row?.answers ?? {};
  const stop = blockFormat(row?.answers ?? {});
  if (isClosed && row === null) return EXIT.blocked;
  if (isClosed && stop !== undefined) return say(stop(reason), true, host);
  return notify === undefined ? EXIT.ok : say(notify(reason), false, host);
}

/** Exactly one JSON object, or nothing. What cannot be written and must arrive still stops, by the exit code. */
export function say(answer: JsonRecord, mustArrive: boolean, host: Host): number {
  if (Object.keys(answer).length === 0) return EXIT.ok;
  const lost = host.out(`${printableJson(answer)}\n`);
  return lost !== null && mustArrive ? EXIT.blocked : EXIT.ok;
}

/** Until all hooks have decided, a signal that ends us is answered at once: the caller may not wait for more. */
export interface SignalWatch {
  /** The exit code of the answer that was given; null: none was. */
  readonly answered: () => number | null;
  readonly end: () => void;
}

export function watchSignals(row: NativeEvent, mayBlock: () => boolean, host: Host): SignalWatch {
  const stop = blockFormat(row.answers);
  let exitCode: number | null = null;
  const end = host.interrupt.listen((signal) => {
    if (exitCode !== null || stop === undefined || !mayBlock()) return;
    const text = problemText({ code: "INTERRUPTED", signal }, PLAIN_STYLE);
    exitCode = say(stop(`hookctl: ${text.trim()}`), true, host);
    host.err(text);
  });
  return { answered: () => exitCode, end };
}
