import type { NativeEvent } from "./agent.ts";

/** The timeout of events that `install` registers only on request. */
const UNREGISTERED_MS = 30_000;
const MARGIN_MS = 2000;

export const agentTimeoutOf = ({ timeoutMs }: Pick<NativeEvent, "timeoutMs">): number => timeoutMs ?? UNREGISTERED_MS;

/** Shorter than the agent's timeout, after which every agent allows the call. */
export const deadlineOf = (event: Pick<NativeEvent, "timeoutMs">): number =>
  agentTimeoutOf(event) - Math.min(MARGIN_MS, agentTimeoutOf(event) / 5);

/** The agent timeout that has this deadline. */
export const agentTimeoutFor = (deadlineMs: number): number =>
  deadlineMs >= MARGIN_MS * 4 ? deadlineMs + MARGIN_MS : (deadlineMs * 5) / 4;
