import type { Result } from "../contract/result.ts";
import { changeSession, type Done, type Held } from "./change.ts";
import { FILE_LIMIT_BYTES } from "./file.ts";
import { INBOX } from "./inbox.ts";
import { isSpoken, type Sent, type Turned, turned, VALVE } from "./valve.ts";

/** Puts messages into a session's inbox and counts the turn that they open. */
export function sendTo(
  folder: string,
  sent: Sent,
  limits: { readonly turns: number; readonly patienceMs?: number },
): Promise<Result<Done<Turned>, string>> {
  const send = ({ read, write }: Held): Turned => {
    const before = { valve: read(VALVE), inbox: read(INBOX) };
    const after = turned(before, sent, limits.turns);
    if ((INBOX.write(after.inbox) ?? "").length > FILE_LIMIT_BYTES / 2) throw new Error("its inbox is full (4 MiB)");
    // The count first: a KILL between the two leaves the valve nearer to closed, never a message that nobody counted.
    if (after.valve !== before.valve) write(VALVE, after.valve);
    if (after.inbox.length > before.inbox.length) write(INBOX, after.inbox);
    return after;
  };
  return changeSession(folder, send, limits.patienceMs);
}

/** Begins the count anew when a person has spoken. */
export function resetValve(folder: string, prompt: string, patienceMs?: number): Promise<Result<Done<null>, string>> {
  const reset = ({ read, write }: Held): null => {
    if (isSpoken(read(VALVE), prompt)) write(VALVE, VALVE.empty);
    return null;
  };
  return changeSession(folder, reset, patienceMs);
}
