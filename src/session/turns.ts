import type { Result } from "../contract/result.ts";
import { changeSession, type Done } from "./change.ts";
import { FILE_LIMIT_BYTES } from "./file.ts";
import { INBOX } from "./inbox.ts";
import { isSpoken, type Sent, type Turned, turned, VALVE } from "./valve.ts";

/** Puts messages into a session's inbox and counts the turn that they open. */
export function sendTo(folder: string, sent: Sent, limit: number): Promise<Result<Done<Turned>, string>> {
  return changeSession(folder, ({ read, write }) => {
    const before = { valve: read(VALVE), inbox: read(INBOX) };
    const after = turned(before, sent, limit);
    if ((INBOX.write(after.inbox) ?? "").length > FILE_LIMIT_BYTES / 2) throw new Error("its inbox is full (4 MiB)");
    // The count first: a KILL between the two leaves the valve nearer to closed, never a message that nobody counted.
    if (after.valve !== before.valve) write(VALVE, after.valve);
    if (after.inbox.length > before.inbox.length) write(INBOX, after.inbox);
    return after;
  });
}

/** Begins the count anew when a person has spoken. */
export function resetValve(folder: string, prompt: string): Promise<Result<Done<null>, string>> {
  return changeSession(folder, ({ read, write }) => {
    if (isSpoken(read(VALVE), prompt)) write(VALVE, VALVE.empty);
    return null;
  });
}
