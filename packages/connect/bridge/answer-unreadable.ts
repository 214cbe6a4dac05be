import { findAllCandidates } from "../../../src/engine/hooks/candidates.ts";
import { resolveHooks } from "../../../src/engine/hooks/resolve-hooks.ts";
import type { Host } from "../../../src/engine/host.ts";
import { couldBlock } from "../../../src/engine/run/run-event.ts";
import { callDepth, DEPTH_LIMIT, type RunContext } from "../../../src/engine/run-context.ts";
import type { Problem } from "../../../src/protocol/problem.ts";
import type { Agent, NativeEvent } from "../../agents/agent.ts";
import { createBridgeContext } from "./answer-call.ts";
import type { BridgeOptions } from "./bridge-options.ts";
import { answerRecordedTrouble, answerTrouble } from "./unreliable-answer.ts";

/** The agent and the possible events of an unreadable payload. */
interface Unreadable {
  readonly agent: Agent;
  /** Null if the event is unknown or not supported. */
  readonly row: NativeEvent | null;
  /** The events that it can be. */
  readonly rows: readonly NativeEvent[];
}

/** Blocks if a hook could have blocked the call, with or without `--fail-closed`; otherwise only reports. */
export async function answerUnreadable(
  problem: Problem,
  about: Unreadable,
  options: BridgeOptions,
  host: Host,
): Promise<number> {
  const isPerson = problem.code === "PAYLOAD_MISSING" && problem.why === "terminal";
  const { row } = about;
  const context = isPerson ? null : await contextFor(about, options, host);
  const isClosed = options.failClosed || (!isPerson && (await isGuarded(about, context, host)));
  return context === null
    ? answerTrouble(problem, { row, isClosed }, host)
    : answerRecordedTrouble(problem, { row, isClosed, context }, host);
}

/** Null if none of the events can be blocked, or the hooks cannot be resolved. */
async function contextFor({ agent, rows }: Unreadable, options: BridgeOptions, host: Host): Promise<RunContext | null> {
  const row = deniable(rows)[0];
  if (row === undefined || callDepth(host.env) >= DEPTH_LIMIT) return null;
  const started = await createBridgeContext({ agent, row }, options, host);
  return started.ok ? started.value.context : null;
}

async function isGuarded({ rows }: Unreadable, context: RunContext | null, host: Host): Promise<boolean> {
  const candidates = deniable(rows);
  if (context === null) return candidates.length > 0 && callDepth(host.env) >= DEPTH_LIMIT;
  const found = findAllCandidates(context);
  for (const event of new Set(candidates.flatMap(({ raises }) => raises.map((raised) => raised.event)))) {
    if (couldBlock(event, await resolveHooks(found, context, event), context)) return true;
  }
  return false;
}

const deniable = (rows: readonly NativeEvent[]): readonly NativeEvent[] =>
  rows.filter(({ answers }) => answers.deny !== undefined);
