import { itemsOf, type JsonSpan, membersOf, readJson, stringOf } from "../protocol/json/read.ts";
import { jsonText } from "../protocol/json/write.ts";
import type { Result } from "../protocol/result.ts";
import { isBlank, trimPythonSpace } from "../protocol/text.ts";
import { hasWakingMessage, INBOX_FILE, type Inbox, type InboxMessage, withHookName } from "./inbox.ts";
import {
  changeSession,
  type LockedFiles,
  MAX_FILE_BYTES,
  type SessionFile,
  type WithWarnings,
} from "./session-files.ts";

/** How often in a row hooks have opened a turn, and with what. */
export interface TurnCount {
  readonly turns: number;
  /** The latest texts that went out as prompts: when one comes back, no person has spoken. */
  readonly issued: readonly string[];
  /** The ends of a turn at which hooks woke the inbox that waits now. */
  readonly wokenAt: readonly string[];
}

const TURN_COUNT_DEPTH = 4;
const MAX_ISSUED = 50;

export const TURN_COUNT_FILE: SessionFile<TurnCount> = {
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

/** What the hooks of one run want the agent to go on with. */
export interface SentMessages {
  readonly followUps: readonly InboxMessage[];
  readonly pushes: readonly InboxMessage[];
  /** The event that ended a turn of this very session; null: its turn goes on. */
  readonly ended: string | null;
}

export interface DeliveryResult {
  readonly count: TurnCount;
  readonly inbox: Inbox;
  /** Hooks wanted one turn more than they may open: all of it waits for the next turn, and nothing wakes. */
  readonly isOverLimit: boolean;
}

/**
 * What one run does to the inbox and the valve. Follow-ups open a turn; so does a push that wakes, unless the inbox
 * woke already: what is drained together is one turn. Where the same end of a turn woke it before, there was a turn in
 * between, and its caller takes the pushes from the answer and drains nothing.
 */
export function deliver(
  before: { readonly valve: TurnCount; readonly inbox: Inbox },
  sent: SentMessages,
  limit: number,
): DeliveryResult {
  const { valve, inbox } = before;
  // Follow-ups are taken up at once and the inbox when it is drained: those may be two turns.
  const isAnew = !hasWakingMessage(inbox) || (sent.ended !== null && valve.wokenAt.includes(sent.ended));
  const turns = (sent.followUps.length > 0 ? 1 : 0) + (hasWakingMessage(sent.pushes) && isAnew ? 1 : 0);
  if (limit > 0 && turns > 0 && valve.turns + turns > limit) {
    const waiting = [...sent.followUps, ...sent.pushes].map((message) => ({ ...message, wake: false }));
    return { count: valve, inbox: [...inbox, ...waiting], isOverLimit: true };
  }
  const prompts = [...sent.followUps.map(({ text }) => text), ...sent.pushes.map(withHookName)];
  const issued = turns > 0 || hasWakingMessage(inbox) ? [...valve.issued, ...prompts].slice(-MAX_ISSUED) : valve.issued;
  const wokenAt = [...(isAnew ? [] : valve.wokenAt), ...(sent.ended === null ? [] : [sent.ended])];
  return {
    count: { turns: valve.turns + turns, issued, wokenAt: hasWakingMessage(sent.pushes) ? wokenAt : valve.wokenAt },
    inbox: [...inbox, ...sent.pushes],
    isOverLimit: false,
  };
}

/**
 * Is this the message of a person? One that is empty, or that consists of nothing but messages that hooks have issued, opens
 * a turn that hooks drive. Several stand in one prompt where a caller sends all that it drained as one.
 */
export function isFromPerson({ issued }: TurnCount, prompt: string): boolean {
  // A push comes back as it was drained, or as the response of the run has it: without the name of its hook.
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

/** A character without width is nothing that a person typed. */
const visible = (text: string): string => trimPythonSpace(text.replace(/\p{Default_Ignorable_Code_Point}/gu, ""));

/** Puts messages into a session's inbox and counts the turn that they open. */
export function deliverToSession(
  folder: string,
  sent: SentMessages,
  limits: { readonly turns: number; readonly patienceMs?: number },
): Promise<Result<WithWarnings<DeliveryResult>, string>> {
  const send = ({ read, write }: LockedFiles): DeliveryResult => {
    const before = { valve: read(TURN_COUNT_FILE), inbox: read(INBOX_FILE) };
    const after = deliver(before, sent, limits.turns);
    if ((INBOX_FILE.write(after.inbox) ?? "").length > MAX_FILE_BYTES / 2) throw new Error("its inbox is full (4 MiB)");
    // The count first: a KILL between the two leaves the valve nearer to closed, never a message that nobody counted.
    if (after.count !== before.valve) write(TURN_COUNT_FILE, after.count);
    if (after.inbox.length > before.inbox.length) write(INBOX_FILE, after.inbox);
    return after;
  };
  return changeSession(folder, send, limits.patienceMs);
}

/** Starts the count again when a person has caused the turn. A message whose text is null was not told. */
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
