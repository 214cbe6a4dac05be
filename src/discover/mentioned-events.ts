import { firstBytes } from "../fs/read-file.ts";
import { allEventNames, EVENT_NAMES, type EventName } from "../protocol/event.ts";
import { editDistance } from "../protocol/nearest.ts";

const READ_BYTES = 256 * 1024;
const WORD = /[A-Za-z_][A-Za-z0-9_]*/g;

/** The events whose names stand in a file's text. The file is read, never run: this is a guess to show, no proof. */
export const mentionedEvents = (path: string): readonly EventName[] =>
  eventsMentionedIn(firstBytes(path, READ_BYTES) ?? "");

/** The events whose names stand in a text. */
export function eventsMentionedIn(text: string): readonly EventName[] {
  const words = new Set(text.match(WORD) ?? []);
  const events = new Set([...allEventNames()].flatMap(([name, { event }]) => (words.has(name) ? [event] : [])));
  return EVENT_NAMES.filter((event) => events.has(event));
}

/** A key with a value that says no. The key is bounded, so that a long word costs no second look. */
const NO = /(?<![\w-])([A-Za-z][\w-]{4,12})[\\"']*\s*(?::|=>?)\s*[\\"']*(?:false|no|off|never|0)(?![\w.])/gi;
const YES = /(?<![\w-])fail[_-]?closed?[\\"']*\s*(?::|=>?)\s*[\\"']*(?:true|yes|on|1)(?![\w.])/i;

/** Does a text say that a hook must not fail open, in any spelling: `fail_open: false`, `failOpen=False`, `"fail_opne": "no"`? */
export const declaresFailClosed = (text: string): boolean =>
  YES.test(text) || [...text.matchAll(NO)].some(([, key = ""]) => isFailOpen(key));

const isFailOpen = (key: string): boolean =>
  /^f/i.test(key) && editDistance(key.toLowerCase().replace(/[^a-z]/g, ""), "failopen") <= 2;

/**
 * May a file that could not say what it is be a guard? Its text says so, or nobody can read it. Only for files that
 * may run, and for the user's own: an unapproved one must not stop anything by its words.
 */
export function mayBeFailClosed(path: string): boolean {
  const text = firstBytes(path, READ_BYTES);
  return text === null || declaresFailClosed(text);
}
