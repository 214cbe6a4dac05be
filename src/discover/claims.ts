import { allNames, EVENT_NAMES, type EventName } from "../contract/event.ts";
import { firstBytes } from "../disk/first-bytes.ts";

const READ_BYTES = 256 * 1024;
const WORD = /[A-Za-z_][A-Za-z0-9_]*/g;

/** The events whose names stand in a file's text. The file is read, never run: this is a guess to show, no proof. */
export function claimsOf(path: string): readonly EventName[] {
  const words = new Set((firstBytes(path, READ_BYTES) ?? "").match(WORD) ?? []);
  const events = new Set([...allNames()].flatMap(([name, { event }]) => (words.has(name) ? [event] : [])));
  return EVENT_NAMES.filter((event) => events.has(event));
}

const CLOSED = /fail_open[\\"']*\s*[:=]\s*false/i;

/**
 * May a file that could not say what it is be a guard? Its text says so, or nobody can read it. Only for files that
 * may run, and for the user's own: an unapproved one must not stop anything by its words.
 */
export function mayBeClosed(path: string): boolean {
  const text = firstBytes(path, READ_BYTES);
  return text === null || CLOSED.test(text);
}
