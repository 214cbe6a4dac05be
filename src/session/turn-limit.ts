import { itemsOf, type JsonSpan, membersOf, readJson, stringOf } from "../protocol/json/read.ts";
import { jsonText } from "../protocol/json/write.ts";
import type { Result } from "../protocol/result.ts";
import { isBlank, trimPythonSpace } from "../protocol/text/text.ts";
import { hasWakingMessage, INBOX_FILE, type Inbox, type InboxMessage, withHookName } from "./inbox.ts";
import {
  changeSession,
  type LockedFiles,
  MAX_FILE_BYTES,
  type SessionFile,
  type WithWarnings,
} from "./session-files.ts";

/** How many turns in a row hooks have started, and with which messages. */
export interface TurnCount {
  readonly turns: number;
  /** The latest messages that were sent as prompts. A prompt that consists of them is not from a person. */
  readonly issued: readonly string[];
  /** The events that ended a turn and at which hooks sent waking messages that are still in the inbox. */
  readonly wokenAt: readonly string[];
}

const TURN_COUNT_DEPTH = 4;
const MAX_ISSUED = 50;

const TURN_COUNT_FILE: SessionFile<TurnCount> = {
  name: "valve",
  empty: { turns: 0, issued: [], wokenAt: [] },
  read: (text) => {
    const read = readJson(text, TURN_COUNT_DEPTH);
    const members = read.ok && read.value.kind === "object" ? membersOf(read.value) : new Map<string, never>();
    const turns = Number(members.get("turns")?.raw);
    const [issued, wokenAt] = ["issued", "woken_at"].map((key) => listOfTexts(members.get(key)));
    if (!Number.isSafeInteger(turns) || turns < 0 || issued == null) return null;
    return { turns, issued, wokenAt: wokenAt ?? [] };
  },
  write: ({ turns, issued, wokenAt }) =>
    turns === 0 && issued.length === 0 ? null : jsonText({ turns, issued, woken_at: wokenAt }),
};

function listOfTexts(span: JsonSpan | undefined): readonly string[] | null {
  const items = span?.kind === "array" ? itemsOf(span) : null;
  return items?.every(({ kind }) => kind === "string") ? items.map(stringOf) : null;
}

/** The messages that the hooks of one run send. */
export interface SentMessages {
  readonly followUps: readonly InboxMessage[];
  readonly pushes: readonly InboxMessage[];
  /** The event that ended a turn of this session; null if the turn continues. */
  readonly ended: string | null;
}

export interface DeliveryResult {
  readonly count: TurnCount;
  readonly inbox: Inbox;
  /** True if hooks would exceed the turn limit: all messages wait for the next turn. */
  readonly isOverLimit: boolean;
}

/**
 * Adds the messages of one run to the inbox and counts the turns they start. Follow-ups start a turn. A push that wakes
 * starts one, too, unless a waking message waits already, because messages that are drained together are one turn. If the
 * same event woke the inbox before, there was a turn in between: its caller takes pushes from the response.
 */
export function deliver(
  before: { readonly count: TurnCount; readonly inbox: Inbox },
  sent: SentMessages,
  limit: number,
): DeliveryResult {
  const { count, inbox } = before;
  // Follow-ups are used at once and the inbox when it is drained, so these may be two turns.
  const isAnew = !hasWakingMessage(inbox) || (sent.ended !== null && count.wokenAt.includes(sent.ended));
  const turns = (sent.followUps.length > 0 ? 1 : 0) + (hasWakingMessage(sent.pushes) && isAnew ? 1 : 0);
  if (limit > 0 && turns > 0 && count.turns + turns > limit) {
    const waiting = [...sent.followUps, ...sent.pushes].map((message) => ({ ...message, wake: false }));
    return { count, inbox: [...inbox, ...waiting], isOverLimit: true };
  }
  const prompts = [...sent.followUps.map(({ text }) => text), ...sent.pushes.map(withHookName)];
  const issued = turns > 0 || hasWakingMessage(inbox) ? [...count.issued, ...prompts].slice(-MAX_ISSUED) : count.issued;
  const wokenAt = [...(isAnew ? [] : count.wokenAt), ...(sent.ended === null ? [] : [sent.ended])];
  return {
    count: { turns: count.turns + turns, issued, wokenAt: hasWakingMessage(sent.pushes) ? wokenAt : count.wokenAt },
    inbox: [...inbox, ...sent.pushes],
    isOverLimit: false,
  };
}

/**
 * True if a person wrote the prompt: it is not empty and does not consist only of messages that hooks sent. A caller may
 * join several drained messages in one prompt.
 */
export function isFromPerson({ issued }: TurnCount, prompt: string): boolean {
  // A push may come back with the name of its hook, as it was drained, or without, as in the run's response.
  const texts = issued.flatMap((one) => [one, one.replace(/^\[hook:[^\]]*\] /, "")]).map(visible);
  const longestFirst = texts.filter((one) => one !== "").sort((a, b) => b.length - a.length);
  let rest = visible(prompt);
  while (rest !== "") {
    const found = longestFirst.find((one) => rest.startsWith(one) && isBlank(rest.charAt(one.length)));
    if (found === undefined) return true;
    rest = trimPythonSpace(rest.slice(found.length));
  }
  return false;
}

/** The text without invisible characters, which nobody types. */
const visible = (text: string): string => trimPythonSpace(text.replace(/\p{Default_Ignorable_Code_Point}/gu, ""));

/** Puts messages into a session's inbox and counts the turns that they start. */
export function deliverToSession(
  folder: string,
  sent: SentMessages,
  limits: { readonly turns: number; readonly patienceMs?: number },
): Promise<Result<WithWarnings<DeliveryResult>, string>> {
  const send = ({ read, write }: LockedFiles): DeliveryResult => {
    const before = { count: read(TURN_COUNT_FILE), inbox: read(INBOX_FILE) };
    const after = deliver(before, sent, limits.turns);
    if ((INBOX_FILE.write(after.inbox) ?? "").length > MAX_FILE_BYTES / 2) throw new Error("its inbox is full (4 MiB)");
    // The count is written first: if the process is killed between the writes, a turn is counted too many, never too few.
    if (after.count !== before.count) write(TURN_COUNT_FILE, after.count);
    if (after.inbox.length > before.inbox.length) write(INBOX_FILE, after.inbox);
    return after;
  };
  return changeSession(folder, send, limits.patienceMs);
}

/** Resets the count if a person caused the turn. The text is null if the payload has no message. */
export function resetTurnLimit(
  folder: string,
  { text }: { readonly text: string | null },
  patienceMs?: number,
): Promise<Result<WithWarnings<null>, string>> {
  const reset = ({ read, write }: LockedFiles): null => {
    if (text === null || isFromPerson(read(TURN_COUNT_FILE), text)) write(TURN_COUNT_FILE, TURN_COUNT_FILE.empty);
    return null;
  };
  return changeSession(folder, reset, patienceMs);
}
