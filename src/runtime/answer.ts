import { startChain, verdictOf } from "../chain/advance.ts";
import { inOrder } from "../chain/order.ts";
import { runChain } from "../chain/run-chain.ts";
import type { EventName } from "../contract/event.ts";
import type { Hook } from "../contract/hook.ts";
import type { Payload } from "../contract/payload.ts";
import type { RunRecord } from "../contract/run-record.ts";
import type { Warning } from "../contract/warning.ts";
import { warningText } from "../contract/warning.ts";
import { askHook } from "../handlers/ask-hook.ts";
import { workingFolder } from "../process/working-folder.ts";
import { redactor } from "../record/redact.ts";
import { hookEnvironment } from "./environment.ts";
import type { Ground } from "./ground.ts";
import { gatherHooks, type Roster } from "./roster.ts";
import { runRecord } from "./run-record.ts";

/** The hooks of one event in run order. Files that may not run or did not say what they are keep their place. */
export function hooksFor(event: EventName, roster: Roster, ground: Ground): readonly Hook[] {
  const concerned = roster.hooks.filter((hook) => hook.hindrance !== null || hook.events.includes(event));
  return inOrder(concerned, event, ground.settings.postOrder);
}

export interface Answered {
  readonly record: RunRecord;
  readonly roster: Roster;
}

/** The whole way of one payload: find, trust, identify, order, ask, advance. */
export async function answer(payload: Payload, ground: Ground, before: readonly Warning[]): Promise<Answered> {
  const startedMs = ground.elapsedMs();
  const roster = await gatherHooks(ground, payload.event);
  const hooks = hooksFor(payload.event, roster, ground);
  const state = hooks.length === 0 ? startChain(payload) : await asked(hooks, payload, ground, startedMs);
  const isElsewhere = hooks.length > 0 && workingFolder(payload.cwd, ground.cwd) !== payload.cwd;
  const moved: readonly Warning[] = isElsewhere ? [{ code: "CWD_MISSING", cwd: payload.cwd }] : [];
  const warnings = [...before, ...roster.warnings, ...moved].map(warningText);
  const verdict = verdictOf(state);
  const record = runRecord({
    verdict: { ...verdict, warnings: [...warnings, ...verdict.warnings] },
    runId: ground.runId,
    durationMs: ground.elapsedMs() - startedMs,
    redact: redactor(ground.env),
  });
  return { record, roster };
}

function asked(hooks: readonly Hook[], payload: Payload, ground: Ground, startedMs: number) {
  const { deadlineMs } = ground.settings;
  const askGround = {
    environmentOf: (hook: Hook, current: Payload) => hookEnvironment(hook, ground, current),
    cwd: workingFolder(payload.cwd, ground.cwd),
    isoTime: new Date(ground.nowMs).toISOString(),
    remainingMs: () => (deadlineMs ?? Number.POSITIVE_INFINITY) - (ground.elapsedMs() - startedMs),
    interrupt: ground.interrupt,
  };
  return runChain(hooks, payload, (hook, current) => askHook(hook, current, askGround));
}
