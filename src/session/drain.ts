import { ok, type Result } from "../protocol/result.ts";
import { changeSession, type Done, lookInto } from "./change.ts";
import { INBOX, type Inbox } from "./inbox.ts";
import { exists } from "./place.ts";

/** The messages that wait in the session of this folder. */
export const readInbox = (folder: string): Promise<Result<Done<Inbox>, string>> => lookInto(folder, INBOX);

/**
 * Hands the messages over, and takes them out when they were taken. It happens under the lock: of several that drain
 * at once only one gets a message, and one that nobody heard stays.
 */
export async function drainInbox<T>(
  folder: string,
  handOver: (inbox: Inbox) => Promise<{ readonly wasTaken: boolean; readonly value: T }>,
): Promise<Result<Done<T>, string>> {
  if (!exists(folder)) return ok({ value: (await handOver([])).value, warnings: [] });
  return changeSession(folder, async ({ read, write }) => {
    const inbox = read(INBOX);
    const { wasTaken, value } = await handOver(inbox);
    if (wasTaken && inbox.length > 0) write(INBOX, []);
    return value;
  });
}
