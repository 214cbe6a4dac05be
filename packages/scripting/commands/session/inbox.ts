import { type CommandResult, print } from "../../../../src/cli/command-result.ts";
import type { CommandLine } from "../../../../src/cli/command-table.ts";
import type { Host } from "../../../../src/engine/host.ts";
import { printableJson } from "../../../../src/protocol/json/write.ts";
import type { Problem } from "../../../../src/protocol/problem.ts";
import { fail } from "../../../../src/protocol/result.ts";
import { drainInbox, hasWakingMessage, type Inbox, inboxJson, readInbox } from "../../../../src/session/inbox.ts";
import { type NamedSession, namedSession, warnTo } from "./state.ts";

const OTHER_WORDS: Problem = {
  code: "USAGE_WRONG_WORDS",
  detail: "Unknown action: the actions of inbox are show and drain.",
  tryThis: "hookctl inbox drain --session ID",
};

/**
 * `hookctl inbox` prints the messages that hooks left for a session; `drain` also removes them. Passive messages start no
 * turn: without a waking message they stay, and a caller that starts a user's turn takes them with `--all`.
 */
export async function inbox(line: CommandLine<"inbox">, host: Host): Promise<CommandResult> {
  const [action = "show", ...more] = line.args;
  if (!["show", "drain"].includes(action) || more.length > 0) return fail(OTHER_WORDS);
  const session = namedSession(line, host);
  if (action === "show") return show(session, host);
  return drain(session, { isForPerson: line.options.isAll }, host);
}

async function show({ id, folder }: NamedSession, host: Host): Promise<CommandResult> {
  const read = await readInbox(folder);
  if (!read.ok) return fail({ code: "SESSION_NOT_USABLE", session: id, cause: read.error });
  read.value.warnings.forEach(warnTo(host));
  return printed(read.value.value, host);
}

async function drain(
  { id, folder }: NamedSession,
  { isForPerson }: { readonly isForPerson: boolean },
  host: Host,
): Promise<CommandResult> {
  const drained = await drainInbox(folder, async (messages) => {
    const isDue = isForPerson || hasWakingMessage(messages);
    const value = printed(isDue ? messages : [], host);
    return { value, wasTaken: isDue && value.ok };
  });
  if (!drained.ok) return fail({ code: "SESSION_NOT_USABLE", session: id, cause: drained.error });
  drained.value.warnings.forEach(warnTo(host));
  return drained.value.value;
}

const printed = (messages: Inbox, host: Host): CommandResult => print(`${printableJson(inboxJson(messages))}\n`, host);
