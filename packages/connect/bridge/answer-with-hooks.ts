import type { FoundCandidates } from "../../../src/discover/find-candidates.ts";
import type { CreatedContext } from "../../../src/engine/create-run-context.ts";
import { hasNothingToReport } from "../../../src/engine/hooks/candidates.ts";
import { mayRunAny, resolveHooks, unmatchedHooks } from "../../../src/engine/hooks/resolve-hooks.ts";
import type { Host } from "../../../src/engine/host.ts";
import type { EventRun } from "../../../src/engine/run/run-event.ts";
import type { RunContext } from "../../../src/engine/run-context.ts";
import { closeInheritedOnFirstStart } from "../../../src/process/spawn-child.ts";
import type { SealFinding } from "../install/seal/check-seal.ts";
import type { AgentCall } from "./agent-call.ts";
import type { BridgeOptions } from "./bridge-options.ts";
import type { EarlierCall } from "./open-calls.ts";
import { endSilently, type RaisedEvent, raisedEvents } from "./raised-events.ts";
import { NO_WATCH, watchSignals } from "./signal-watch.ts";

/** A call whose hooks have to be resolved. */
export interface ResolvableCall {
  readonly call: AgentCall;
  readonly started: CreatedContext;
  readonly found: FoundCandidates;
  /** The agent's working directory if it does not exist; null if it exists. */
  readonly missingFolder: string | null;
  /** The agent's settings protect less than when they were sealed, and a call was blocked for it; null if they protect as much. */
  readonly weakening: SealFinding | null;
  /** What happened to an earlier call of the session. */
  readonly earlier: EarlierCall;
  /** True if nothing has to be said where no hook runs. */
  readonly mayEndSilently: boolean;
}

export type EventRuns = readonly [EventRun, ...EventRun[]];

/** Resolves the hooks of every raised event, and runs them. The code for that is loaded only if one may run. */
export async function answerWithHooks(input: ResolvableCall, options: BridgeOptions, host: Host): Promise<number> {
  const { call, started, found, mayEndSilently } = input;
  const { context } = started;
  const isGuarded = options.failClosed || found.candidates.length > 0 || context.machine !== null;
  // `runAndAnswer` sets it again when the hooks are known, and to false when the answer is decided.
  const guard = { mayBlock: isGuarded };
  // Without a guard a signal ends this process as usual: no answer has to be given.
  const watch = isGuarded ? watchSignals(call.row, () => guard.mayBlock, host) : NO_WATCH;
  if (found.candidates.length > 0) closeInheritedOnFirstStart();
  const eventRuns = await resolveEventRuns(call, found, context, host);
  const isSilent = mayEndSilently && eventRuns.every((one) => concernsNone(one, started));
  if (isSilent && host.interrupt.raised() === null) return endSilently(eventRuns.map(withUnmatched), options, host);
  const { runAndAnswer } = await import("./run-and-answer.ts");
  return runAndAnswer({ ...input, eventRuns, watch, guard }, options, host);
}

const withUnmatched = (run: EventRun) => ({ ...run, unmatched: unmatchedHooks(run.hookSet, run.payload) });

/** True if no hook can run for the event, and nothing about the hooks has to be told. */
const concernsNone = ({ payload, hookSet, context }: EventRun, { loaded }: CreatedContext): boolean =>
  !mayRunAny(hookSet, payload) &&
  hookSet.hooks.every(({ state }) => state === "ready" || state === "disabled") &&
  hasNothingToReport([...hookSet.warnings, ...hookSet.notices], { context, loaded });

/** Resolves the hooks of each raised event. */
async function resolveEventRuns(
  call: AgentCall,
  found: FoundCandidates,
  context: RunContext,
  host: Host,
): Promise<EventRuns> {
  const [main, ...others] = raisedEvents(call, context, host);
  const resolved = async (raised: RaisedEvent): Promise<EventRun> => ({
    ...raised,
    hookSet: await resolveHooks(found, raised.context, raised.payload.event),
  });
  const eventRuns: [EventRun, ...EventRun[]] = [await resolved(main)];
  for (const other of others) eventRuns.push(await resolved(other));
  return eventRuns;
}
