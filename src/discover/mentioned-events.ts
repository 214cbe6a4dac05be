import { firstBytes } from "../fs/read-file.ts";
import { allEventNames, EVENT_NAMES, type EventName } from "../protocol/event.ts";
import { editDistance } from "../protocol/text/nearest.ts";

const READ_BYTES = 256 * 1024;
const WORD = /[A-Za-z_][A-Za-z0-9_]*/g;

/** The events whose names occur in a file. The file is read, never run, so this is only a guess. */
export const mentionedEvents = (path: string): readonly EventName[] =>
  eventsMentionedIn(firstBytes(path, READ_BYTES) ?? "");

/** The events whose names occur in a text. */
export function eventsMentionedIn(text: string): readonly EventName[] {
  const words = new Set(text.match(WORD) ?? []);
  const events = new Set([...allEventNames()].flatMap(([name, { event }]) => (words.has(name) ? [event] : [])));
  return EVENT_NAMES.filter((event) => events.has(event));
}

/** A key with a false value. The length of the key is bounded, so that long words are not scanned twice. */
const NO = /(?<![\w-])([A-Za-z][\w-]{4,12})[\\"']*\s*(?::|=>?)\s*[\\"']*(?:false|no|off|never|0)(?![\w.])/gi;
const YES = /(?<![\w-])fail[_-]?closed?[\\"']*\s*(?::|=>?)\s*[\\"']*(?:true|yes|on|1)(?![\w.])/i;

/** True if a text declares fail-closed in any spelling: `fail_open: false`, `failOpen=False`, `"fail_opne": "no"`. */
export const declaresFailClosed = (text: string): boolean =>
  YES.test(text) || [...text.matchAll(NO)].some(([, key = ""]) => isFailOpen(key));

const isFailOpen = (key: string): boolean =>
  /^f/i.test(key) && editDistance(key.toLowerCase().replace(/[^a-z]/g, ""), "failopen") <= 2;

/**
 * True if a file that was not identified may be a fail-closed guard: its text declares it, or it cannot be read. Only
 * for files that may run and for the user's files: an unapproved file must not block by its text.
 */
export function mayBeFailClosed(path: string): boolean {
  const text = firstBytes(path, READ_BYTES);
  return text === null || declaresFailClosed(text);
}
