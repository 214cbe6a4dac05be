import type { Result } from "../protocol/result.ts";
import { changeSession, type Done, type Held } from "./change.ts";
import { FILE_LIMIT_BYTES } from "./file.ts";
import { INBOX } from "./inbox.ts";
import { isFromPerson, type Sent, type Turned, turned, VALVE } from "./valve.ts";

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

/** Starts the count again when a person has caused the turn. A message whose text is null was not told. */
export function resetValve(
  folder: string,
  { text }: { readonly text: string | null },
  patienceMs?: number,
): Promise<Result<Done<null>, string>> {
  const reset = ({ read, write }: Held): null => {
    if (text === null || isFromPerson(read(VALVE), text)) write(VALVE, VALVE.empty);
    return null;
  };
  return changeSession(folder, reset, patienceMs);
}
