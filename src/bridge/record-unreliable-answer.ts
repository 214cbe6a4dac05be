import { blockFormat } from "../agents/native-answer.ts";
import { createRedactor } from "../audit/redact.ts";
import { startChain, verdictOf } from "../chain/advance.ts";
import { appendRun, makeRunRecord } from "../engine/run/make-run-record.ts";
import type { RunContext } from "../engine/run-context.ts";
import type { Host } from "../host.ts";
import { explain } from "../protocol/problem-message.ts";
import { warningText } from "../protocol/warning.ts";
import { answerTrouble, isTroubling, type Trouble, type TroubleTarget } from "./unreliable-answer.ts";

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
    appendRun(
      makeRunRecord({ verdict, runId: context.runId, durationMs, redact: createRedactor(context.env) }),
      context,
    );
  }
  return answerTrouble(trouble, target, host);
}
