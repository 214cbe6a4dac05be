import { pathExists } from "../fs/paths.ts";
import { itemsOf, type JsonSpan, membersOf, readJson, stringOf } from "../protocol/json/read.ts";
import { type JsonRecord, jsonText } from "../protocol/json/write.ts";
import { ok, type Result } from "../protocol/result.ts";
import { changeSession, readUnlocked, type SessionFile, type WithWarnings } from "./session-files.ts";

/** One message that waits for the next turn of a session. */
export interface InboxMessage {
  /** The hook that sent it, shown as `[hook:NAME]` before the text. */
  readonly hook: string;
  readonly text: string;
  readonly wake: boolean;
}

export type Inbox = readonly InboxMessage[];

const INBOX_DEPTH = 8;

export const INBOX_FILE: SessionFile<Inbox> = {
  name: "inbox",
  empty: [],
  read: (text) => {
    const read = readJson(text, INBOX_DEPTH);
    const list = read.ok && read.value.kind === "object" ? membersOf(read.value).get("messages") : undefined;
    const messages = list?.kind === "array" ? itemsOf(list).map(parseMessage) : [null];
    return messages.every((message) => message !== null) ? messages : null;
  },
  write: (inbox) => {
    const messages = inbox.map(({ hook, text, wake }) => ({ hook, text, wake }));
    return messages.length === 0 ? null : jsonText({ messages });
  },
};

/** The text with the name of its hook, as the agent gets it. */
export const withHookName = ({ hook, text }: Pick<InboxMessage, "hook" | "text">): string => `[hook:${hook}] ${text}`;

export const hasWakingMessage = (inbox: Inbox): boolean => inbox.some(({ wake }) => wake);

/** The output of `inbox` and `inbox drain`: all messages, and whether one of them wakes. */
export function inboxJson(inbox: Inbox): JsonRecord {
  return {
    messages: inbox.map((message) => ({ role: "system", hook: message.hook, content: withHookName(message) })),
    wake: hasWakingMessage(inbox),
  };
}

function parseMessage(span: JsonSpan): InboxMessage | null {
  if (span.kind !== "object") return null;
  const members = membersOf(span);
  const [hook, text, wake] = [members.get("hook"), members.get("text"), members.get("wake")];
  if (hook?.kind !== "string" || text?.kind !== "string" || wake?.kind !== "boolean") return null;
  return { hook: stringOf(hook), text: stringOf(text), wake: wake.raw === "true" };
}

/** Reads the messages of the session in this folder. */
export const readInbox = (folder: string): Promise<Result<WithWarnings<Inbox>, string>> =>
  readUnlocked(folder, INBOX_FILE);

/**
 * Hands the messages over and deletes them if they were taken, under the lock: of several processes only one gets a
 * message, and a message stays if its delivery failed.
 */
export async function drainInbox<T>(
  folder: string,
  handOver: (inbox: Inbox) => Promise<{ readonly wasTaken: boolean; readonly value: T }>,
): Promise<Result<WithWarnings<T>, string>> {
  if (!pathExists(folder)) return ok({ value: (await handOver([])).value, warnings: [] });
  return changeSession(folder, async ({ read, write }) => {
    const inbox = read(INBOX_FILE);
    const { wasTaken, value } = await handOver(inbox);
    if (wasTaken && inbox.length > 0) write(INBOX_FILE, []);
    return value;
  });
}
