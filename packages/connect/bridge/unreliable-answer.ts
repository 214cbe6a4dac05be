import { createRedactor } from "../../../src/audit/redact.ts";
import { startChain, verdictOf } from "../../../src/chain/advance.ts";
import type { Host } from "../../../src/engine/host.ts";
import { appendRun, explainableId, makeRunRecord } from "../../../src/engine/run/run-record.ts";
import { deadlineOf, type RunContext } from "../../../src/engine/run-context.ts";
import { isOutOfResources } from "../../../src/process/outcome-problem.ts";
import { remainingMs } from "../../../src/process/process-request.ts";
import { EXIT } from "../../../src/protocol/exit-code.ts";
import type { Problem } from "../../../src/protocol/problem.ts";
import { explain } from "../../../src/protocol/problem-messages/explain.ts";
import type { RunRecord } from "../../../src/protocol/run-record.ts";
import { type Warning, warningText } from "../../../src/protocol/warning.ts";
import { problemText } from "../../../src/report/problem-text.ts";
import { PLAIN_STYLE } from "../../../src/report/text-style.ts";
import type { NativeEvent } from "../../agents/agent.ts";
import { blockFormat } from "../../agents/agent.ts";
import { printAnswer } from "./signal-watch.ts";

/** Warnings that settings, approvals or the project may be incomplete. */
const TROUBLING = ["NO_HOME", "TRUST_STORE_UNUSABLE", "PLACE_REFUSED", "USER_SETTINGS_LOST"] as const;
type TroublingWarning = Extract<Warning, { readonly code: (typeof TROUBLING)[number] }>;

/** A reason why an answer cannot be relied on. With `--fail-closed` each of them blocks the call. */
export type Trouble = Problem | TroublingWarning;

/** The state of a call before its hooks run. */
export interface TroubleInput {
  readonly problems: readonly Problem[];
  readonly warnings: readonly Warning[];
  readonly context: RunContext;
  /** The agent's working directory if it does not exist; null if it exists. */
  readonly missingFolder: string | null;
}

/** The first trouble of a call, or null. Every kind is checked here, so that all are answered the same way. */
export function troubleOf({ problems, warnings, context, missingFolder }: TroubleInput): Trouble | null {
  const [problem] = problems;
  if (problem !== undefined) return problem;
  const warning = warnings.find(isTroubling);
  if (warning !== undefined) return warning;
  if (missingFolder !== null) return projectMissing(missingFolder);
  const { deadlineMs } = context.settings;
  return deadlineMs !== null && remainingMs(deadlineOf(context)) <= 0 ? { code: "DEADLINE_PASSED", deadlineMs } : null;
}

export const projectMissing = (path: string): Problem => ({
  code: "PROJECT_MISSING",
  path,
  cause: "there is no such folder",
});

/** A hook that could not be started because the system was out of resources: it might have blocked. */
export function notStartedTrouble(records: readonly RunRecord[]): Trouble | null {
  const problems = records
    .flatMap(({ verdict }) => verdict.steps)
    .flatMap(({ result }) => (result === null || result.response.ok ? [] : [result.response.error]));
  return problems.find((one) => one.code === "HOOK_NOT_STARTED" && isOutOfResources(one.cause)) ?? null;
}

const isTroubling = (one: { readonly code: string }): one is TroublingWarning =>
  TROUBLING.some((code) => code === one.code);

/** The event to answer, and whether to block it. */
export interface TroubleTarget {
  /** Null if the event is unknown. */
  readonly row: NativeEvent | null;
  /** Block if the event can be blocked: `--fail-closed`, or a guard may not have run. */
  readonly isClosed: boolean;
  /** The id of the run that records it; null or missing if no run does. */
  readonly runId?: string | null;
  /** Also tells the person, where the agent has a message for that: the reason of a block is for the model. */
  readonly isTold?: boolean;
}

/** Blocks if `isClosed` is set and the event can be blocked; otherwise notifies the user. */
export function answerTrouble(
  trouble: Trouble,
  { row, isClosed, runId = null, isTold = false }: TroubleTarget,
  host: Host,
): number {
  const text = isTroubling(trouble) ? `✖ ${warningText(trouble)}\n` : problemText(trouble, PLAIN_STYLE);
  host.err(text);
  const reason = `hookctl: ${text.trim()}${runId === null ? "" : ` (hookctl why ${runId})`}`;
  const { notify } = row?.answers ?? {};
  const block = blockFormat(row?.answers ?? {});
  if (isClosed && row === null) return EXIT.blocked;
  if (isClosed && block !== undefined)
    return printAnswer({ ...(isTold ? notify?.(reason) : {}), ...block(reason) }, true, host);
  return notify === undefined ? EXIT.ok : printAnswer(notify(reason), false, host);
}

/** Answers a trouble. A block is recorded in the audit log, with a reason that begins with the code. */
export function answerRecordedTrouble(
  trouble: Trouble,
  target: TroubleTarget & { readonly context: RunContext },
  host: Host,
): number {
  const { row, isClosed, context } = target;
  if (isClosed && (row === null || blockFormat(row.answers) !== undefined)) {
    // The event is unknown: most blocks are about a tool call.
    const event = row?.raises[0]?.event ?? "before_tool_call";
    const nothing = startChain({ event, session: "", cwd: context.cwd, members: new Map() });
    const words = isTroubling(trouble) ? warningText(trouble) : explain(trouble).summary;
    const verdict = { ...verdictOf(nothing), decision: "block" as const, reason: `${trouble.code}: ${words}` };
    const durationMs = context.elapsedMs() - context.beganMs;
    const run = makeRunRecord({ verdict, runId: context.runId, durationMs, redact: createRedactor(context.env) });
    const runId = explainableId(run, appendRun(run, context), context);
    return answerTrouble(trouble, { ...target, runId }, host);
  }
  return answerTrouble(trouble, target, host);
}
