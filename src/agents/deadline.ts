import type { NativeEvent } from "./agent.ts";

/** For an event that `install` registers only when it is asked to. */
const UNREGISTERED_MS = 30_000;
const MARGIN_MS = 2000;

export const agentTimeoutOf = ({ timeoutMs }: Pick<NativeEvent, "timeoutMs">): number => timeoutMs ?? UNREGISTERED_MS;

/** Below the agent's own limit: at that one every agent lets the tool run. */
export const deadlineOf = (event: Pick<NativeEvent, "timeoutMs">): number =>
  agentTimeoutOf(event) - Math.min(MARGIN_MS, agentTimeoutOf(event) / 5);

/** The limit with this deadline. */
export const agentTimeoutFor = (deadlineMs: number): number =>
  deadlineMs >= MARGIN_MS * 4 ? deadlineMs + MARGIN_MS : (deadlineMs * 5) / 4;
