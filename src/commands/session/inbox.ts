import type { CommandLine } from "../../cli/option-table.ts";
import { print, refuse } from "../../cli/output.ts";
import type { Host } from "../../host.ts";
import { EXIT } from "../../protocol/exit-code.ts";
import { printableJson } from "../../protocol/json/write.ts";
import type { Problem } from "../../protocol/problem.ts";
import { drainInbox, hasWakingMessage, type Inbox, inboxJson, readInbox } from "../../session/inbox.ts";
import { type NamedSession, namedSession, warnTo } from "./session-folder.ts";

const OTHER_WORDS: Problem = {
  code: "USAGE_WRONG_WORDS",
  detail: "inbox shows, and inbox drain empties; it knows no other word.",
  tryThis: "hookctl inbox drain --session ID",
};

/**
 * `hookctl inbox` shows the messages that hooks left for a session; `drain` also takes them out. Passive messages open no
 * turn: where nothing wakes they stay, and a caller that begins a person's turn takes them with `--all`.
 */
export async function inbox(line: CommandLine, host: Host): Promise<number> {
  const [action = "show", ...more] = line.args;
  if (!["show", "drain"].includes(action) || more.length > 0) return refuse(OTHER_WORDS, host);
  const session = namedSession(line, host);
  if (!session.ok) return refuse(session.error, host);
  if (action === "show") return show(session.value, host);
  return drain(session.value, { isForPerson: line.options["--all"] === true }, host);
}

async function show({ id, folder }: NamedSession, host: Host): Promise<number> {
  const read = await readInbox(folder);
  if (!read.ok) return refuse({ code: "SESSION_NOT_USABLE", session: id, cause: read.error }, host);
  read.value.warnings.forEach(warnTo(host));
  return printed(read.value.value, host);
}

async function drain(
  { id, folder }: NamedSession,
  { isForPerson }: { readonly isForPerson: boolean },
  host: Host,
): Promise<number> {
  const drained = await drainInbox(folder, async (messages) => {
    const isDue = isForPerson || hasWakingMessage(messages);
    const value = await printed(isDue ? messages : [], host);
    return { value, wasTaken: isDue && value === EXIT.ok };
  });
  if (!drained.ok) return refuse({ code: "SESSION_NOT_USABLE", session: id, cause: drained.error }, host);
  drained.value.warnings.forEach(warnTo(host));
  return drained.value.value;
}

const printed = (messages: Inbox, host: Host): Promise<number> =>
  print(`${printableJson(inboxJson(messages))}\n`, host);
