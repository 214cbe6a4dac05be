import { join } from "node:path";
import { eventRow } from "../contract/event.ts";
import { stringOf } from "../contract/json.ts";
import type { Payload } from "../contract/payload.ts";
import type { Warning } from "../contract/warning.ts";
import { exists, sessionFolder } from "../session/place.ts";
import { type Ground, patienceMs } from "./ground.ts";

/**
 * A person who speaks opens the loop valve again, also where no hook listens. It costs one look at the disk, at the one
 * event in which people speak.
 */
export async function noteSpeech(payload: Payload, ground: Ground): Promise<readonly Warning[]> {
  const { sessionsDir } = ground;
  const { spokenIn } = eventRow(payload.event);
  if (spokenIn === undefined || payload.session === "" || sessionsDir === null) return [];
  const folder = sessionFolder(sessionsDir, payload.session);
  if (!exists(join(folder, "valve"))) return [];
  const span = payload.members.get(spokenIn);
  const { resetValve } = await import("../session/turns.ts");
  const reset = await resetValve(folder, span?.kind === "string" ? stringOf(span) : "", patienceMs(ground));
  return reset.ok ? reset.value.warnings : [{ code: "TURNS_NOT_COUNTED", cause: reset.error }];
}
