import type { Payload } from "../../protocol/payload.ts";
import type { RunRecord } from "../../protocol/run-record.ts";
import type { Verdict, VerdictDecision } from "../../protocol/verdict.ts";
import type { Warning } from "../../protocol/warning.ts";
import type { HookSet } from "../hooks/resolve-hooks.ts";
import type { RunContext } from "../run-context.ts";
import { runEvent } from "./run-event.ts";

/** One event that an agent's event raised, with the hooks of this call as they stand for it. */
export interface EventRun {
  readonly payload: Payload;
  readonly hookSet: HookSet;
  readonly context: RunContext;
}

/** Each event has its chain, one after the other; a failing tool, for one, is a tool call and an error. */
export async function runEvents(
  raises: readonly EventRun[],
  before: readonly Warning[],
): Promise<readonly RunRecord[]> {
  const records: RunRecord[] = [];
  for (const { payload, hookSet, context } of raises) {
    records.push(await runEvent(payload, hookSet, context, records.length === 0 ? before : []));
  }
  return records;
}

const STRICTNESS: readonly VerdictDecision[] = ["continue", "ask", "halt", "block"];

/** One verdict of several: the strictest decides, what was added adds up, and only the first event's value can change. */
export function combineVerdicts([first, ...others]: readonly [Verdict, ...Verdict[]]): Verdict {
  const all = [first, ...others];
  const strictness = ({ decision }: Verdict): number => STRICTNESS.indexOf(decision);
  const decider = all.reduce((found, other) => (strictness(other) > strictness(found) ? other : found));
  const { decision, reason, decidedBy } = decider;
  return {
    ...first,
    ...{ decision, reason, decidedBy },
    change: decision === "continue" || decision === "ask" ? first.change : null,
    isAllowed: first.isAllowed && decision === "continue",
    context: all.flatMap(({ context }) => context),
    followUps: all.flatMap(({ followUps }) => followUps),
    systemMessage: all.flatMap(({ systemMessage }) => systemMessage ?? []).join("\n") || null,
  };
}
