import { type CommandResult, print } from "../../../../src/cli/command-result.ts";
import type { CommandLine } from "../../../../src/cli/command-table.ts";
import type { Host } from "../../../../src/engine/host.ts";
import { printableJson } from "../../../../src/protocol/json/write.ts";
import { fail } from "../../../../src/protocol/result.ts";
import { drainInbox, hasWakingMessage, type Inbox, inboxJson, readInbox } from "../../../../src/session/inbox.ts";
import { namedSession, warnTo } from "./state.ts";

/**
 * `hookctl inbox` prints the messages that hooks left for a session; `drain` also removes them. Passive messages start no
 * turn: without a waking message they stay, and a caller that starts a user's turn takes them with `--all`.
 */
export async function inbox(line: CommandLine<"inbox">, host: Host): Promise<CommandResult> {
  const [action = "show", ...more] = line.args;
  if (!["show", "drain"].includes(action) || more.length > 0) {
    const detail = "Unknown action: the actions of inbox are show and drain.";
    return fail({ code: "USAGE_WRONG_WORDS", detail, tryThis: "hookctl inbox drain --session ID" });
  }
  const { id, folder } = namedSession(line, host);
  const schema = line.options.json ? "hookctl.inbox/1" : undefined;
  const printed = (messages: Inbox) => print(`${printableJson({ schema, ...inboxJson(messages) })}\n`, host);
  const drained = () =>
    drainInbox(folder, async (messages) => {
      const isDue = line.options.isAll || hasWakingMessage(messages);
      const value = printed(isDue ? messages : []);
      return { value, wasTaken: isDue && value.ok };
    });
  const read = action === "show" ? await readInbox(folder) : await drained();
  if (!read.ok) return fail({ code: "SESSION_NOT_USABLE", session: id, cause: read.error });
  const { warnings, value } = read.value;
  warnings.forEach(warnTo(host));
  return "ok" in value ? value : printed(value);
}
