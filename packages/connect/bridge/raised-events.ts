import { newRunId } from "../../../src/audit/run-id.ts";
import { recordUnmatched } from "../../../src/engine/hooks/candidates.ts";
import type { Host } from "../../../src/engine/host.ts";
import type { UnmatchedHook } from "../../../src/engine/run/unmatched-run.ts";
import type { RunContext } from "../../../src/engine/run-context.ts";
import { EXIT } from "../../../src/protocol/exit-code.ts";
import type { Payload } from "../../../src/protocol/payload/payload.ts";
import type { AgentCall } from "./agent-call.ts";
import type { BridgeOptions } from "./bridge-options.ts";

/** One event that a call raises, and the context of its run. */
export interface RaisedEvent {
  readonly payload: Payload;
  readonly context: RunContext;
}

/** The events of a call. Each is a run with its own id; only the main one has the payload as the agent sent it. */
export function raisedEvents(
  { payloads, agent, nativeEvent, native }: AgentCall,
  context: RunContext,
  host: Host,
): readonly [RaisedEvent, ...RaisedEvent[]] {
  const [first, ...others] = payloads;
  const isErrorRaised = payloads.some(({ event }) => event === "on_error");
  // The sender may be another agent than the one that is registered.
  const shared: RunContext = {
    ...context,
    options: { ...context.options, agent: agent.recordedAs ?? agent.name },
    isErrorRaised,
  };
  const main = { payload: first, context: { ...shared, native: { event: nativeEvent, members: native } } };
  const idOf = () => newRunId(host.nowMs(), host.random);
  return [main, ...others.map((payload) => ({ payload, context: { ...shared, runId: idOf() } }))];
}

interface SilentEvent extends RaisedEvent {
  readonly unmatched: readonly UnmatchedHook[];
}

/** Ends a call without an answer, and records the events that no hook matched. */
export async function endSilently(events: readonly SilentEvent[], { quiet }: BridgeOptions, host: Host) {
  for (const event of events) {
    const lost = await recordUnmatched(event.unmatched, event);
    if (lost.length === 0 || quiet) continue;
    const { warningLines } = await import("../../../src/report/warning-lines.ts");
    host.err(warningLines(lost));
  }
  return EXIT.ok;
}
