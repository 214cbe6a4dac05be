import { ALL_EVENT_NAMES, EVENT_NAMES, type EventName, findEvent } from "../contract/event.ts";
import { firstBytes } from "../process/first-bytes.ts";

const READ_BYTES = 256 * 1024;
const WORD = /[A-Za-z_][A-Za-z0-9_]*/g;

/** The events whose names stand in a file's text. The file is read, never run: this is a guess to show, no proof. */
export function claimsOf(path: string): readonly EventName[] {
  const words = new Set((firstBytes(path, READ_BYTES) ?? "").match(WORD) ?? []);
  const events = new Set(ALL_EVENT_NAMES.filter((name) => words.has(name)).map((name) => findEvent(name)?.event));
  return EVENT_NAMES.filter((event) => events.has(event));
}
