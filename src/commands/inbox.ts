import { EXIT } from "../protocol/exit-code.ts";
import { writeJson } from "../protocol/json/write.ts";
import type { Problem } from "../protocol/problem.ts";
import { drainInbox, type Inbox, inboxJson, readInbox, wakes } from "../session/inbox.ts";
import type { World } from "../world.ts";
import type { RawLine } from "./flag-table.ts";
import { type NamedSession, namedSession, teller } from "./session-folder.ts";
import { print, refuse } from "./start.ts";

const OTHER_WORDS: Problem = {
  code: "USAGE_WRONG_WORDS",
  detail: "inbox shows, and inbox drain empties; it knows no other word.",
  tryThis: "hookctl inbox drain --session ID",
};

/**
 * `hookctl inbox` shows the messages that hooks left for a session; `drain` also takes them out. Passive messages open no
 * turn: where nothing wakes they stay, and a caller that begins a person's turn takes them with `--all`.
 */
export async function inbox(line: RawLine, world: World): Promise<number> {
  const [action = "show", ...more] = line.words;
  if (!["show", "drain"].includes(action) || more.length > 0) return refuse(OTHER_WORDS, world);
  const session = namedSession(line, world);
  if (!session.ok) return refuse(session.error, world);
  if (action === "show") return show(session.value, world);
  return drain(session.value, { isForPerson: line.flags["--all"] === true }, world);
}

async function show({ id, folder }: NamedSession, world: World): Promise<number> {
  const read = await readInbox(folder);
  if (!read.ok) return refuse({ code: "SESSION_NOT_USABLE", session: id, cause: read.error }, world);
  read.value.warnings.forEach(teller(world));
  return printed(read.value.value, world);
}

async function drain(
  { id, folder }: NamedSession,
  { isForPerson }: { readonly isForPerson: boolean },
  world: World,
): Promise<number> {
  const drained = await drainInbox(folder, async (messages) => {
    const isDue = isForPerson || wakes(messages);
    const value = await printed(isDue ? messages : [], world);
    return { value, wasTaken: isDue && value === EXIT.goOn };
  });
  if (!drained.ok) return refuse({ code: "SESSION_NOT_USABLE", session: id, cause: drained.error }, world);
  drained.value.warnings.forEach(teller(world));
  return drained.value.value;
}

const printed = (messages: Inbox, world: World): Promise<number> => print(`${writeJson(inboxJson(messages))}\n`, world);
