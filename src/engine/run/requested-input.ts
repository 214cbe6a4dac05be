import { join } from "node:path";
import { isSurelyMissing } from "../../fs/paths.ts";
import type { Payload } from "../../protocol/payload/payload.ts";
import type { Verdict } from "../../protocol/verdict.ts";
import type { Warning } from "../../protocol/warning.ts";
import type { Session } from "../../session/session-folder.ts";

/** The folder of a session with the requested arguments of its changed calls. */
const folderOf = ({ folder }: Session): string | null => (folder === null ? null : join(folder, "requested"));

/**
 * Adds the arguments that the model asked for, where a hook changed them before the call. A session without changed calls
 * costs one read of the file system.
 */
export async function withRequestedInput(payload: Payload, session: Session): Promise<Payload> {
  const folder = folderOf(session);
  const concerned = payload.event === "after_tool_call" && !payload.members.has("requested_input");
  if (!concerned || folder === null || isSurelyMissing(folder)) return payload;
  const { takeRequested } = await import("../../session/requested-input.ts");
  const requested = takeRequested(folder, payload.members);
  return requested === null
    ? payload
    : { ...payload, members: new Map([...payload.members, ["requested_input", requested]]) };
}

/** Stores the arguments of a call that its hooks changed, for the hooks after the call. */
export async function storeRequestedInput(verdict: Verdict, session: Session): Promise<readonly Warning[]> {
  const { event, change, decision, sent, payload } = verdict;
  const folder = folderOf(session);
  if (event !== "before_tool_call" || folder === null || (change === null && isSurelyMissing(folder))) return [];
  const isChanged = change !== null && (decision === "continue" || decision === "ask");
  const requested = isChanged ? sent.members.get("tool_input") : undefined;
  const { storeRequested } = await import("../../session/requested-input.ts");
  const cause = storeRequested(folder, payload.members, requested);
  return cause === null ? [] : [{ code: "REQUESTED_INPUT_NOT_KEPT", cause }];
}
