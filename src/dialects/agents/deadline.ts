import type { NativeEvent } from "./agent.ts";

/** For an event that `install` registers only when it is asked to. */
const UNREGISTERED_MS = 30_000;

export const limitOf = ({ limitMs }: Pick<NativeEvent, "limitMs">): number => limitMs ?? UNREGISTERED_MS;

/** Below the agent's own limit: at that one every agent lets the tool run. */
export const deadlineOf = (event: Pick<NativeEvent, "limitMs">): number =>
  limitOf(event) - Math.min(2000, limitOf(event) / 5);
