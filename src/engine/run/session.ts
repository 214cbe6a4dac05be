import type { Hook } from "../../protocol/hook.ts";
import type { HookResult } from "../../protocol/hook-response.ts";
import type { Payload } from "../../protocol/payload.ts";
import type { Warning } from "../../protocol/warning.ts";
import { pathExists, sessionFolder } from "../../session/session-folder.ts";
import { lockTimeoutMs, type RunContext } from "../run-context.ts";

/** Where a session keeps its files, or why it keeps none. */
export type Session =
  | { readonly folder: string; readonly why: null }
  | { readonly folder: null; readonly why: "the payload has no conv_id" | typeof NO_SESSION_FOLDER };

export const NO_SESSION_FOLDER = "there is no folder for sessions that is yours alone (HOME, XDG_STATE_HOME)";

/** The session that a payload belongs to. */
export const sessionOfPayload = (payload: Payload, context: RunContext): Session =>
  sessionById(payload.session, context);

export function sessionById(id: string, { sessionsDir }: Pick<RunContext, "sessionsDir">): Session {
  if (id === "") return { folder: null, why: "the payload has no conv_id" };
  return sessionsDir === null
    ? { folder: null, why: NO_SESSION_FOLDER }
    : { folder: sessionFolder(sessionsDir, id), why: null };
}

/**
 * The payload as a hook gets it: with the session's values, if there are any. They are read anew for each hook, so that
 * it sees what the hooks before it have left.
 */
export async function withSessionState(
  payload: Payload,
  { folder }: Session,
): Promise<{ readonly payload: Payload; readonly warnings: readonly Warning[] }> {
  if (folder === null || payload.members.has("state") || !pathExists(folder)) return { payload, warnings: [] };
  const { readState, stateText } = await import("../../session/state.ts");
  const read = await readState(folder);
  if (!read.ok) return { payload, warnings: [{ code: "STATE_NOT_READ", path: folder, cause: read.error }] };
  const { value, warnings } = read.value;
  if (value.size === 0) return { payload, warnings };
  const members = new Map([...payload.members, ["state", { kind: "object", raw: stateText(value) }] as const]);
  return { payload: { ...payload, members }, warnings };
}

interface Keeping {
  readonly session: Session;
  readonly context: RunContext;
}

/** Keeps the patch of a hook that succeeded. An observer changes nothing, and a failed hook has no reply. */
export async function applyStatePatch(
  hook: Hook,
  asked: HookResult,
  { session, context }: Keeping,
): Promise<HookResult> {
  const patch = asked.response.ok && !hook.observe ? (asked.response.value?.state ?? null) : null;
  if (patch === null) return asked;
  const lost = (cause: string): Warning => ({ code: "STATE_NOT_KEPT", hook: hook.name, cause });
  if (session.folder === null) return withWarnings(asked, [lost(session.why)]);
  const { changeState } = await import("../../session/state.ts");
  const changed = await changeState(session.folder, patch, lockTimeoutMs(context));
  if (!changed.ok) return withWarnings(asked, [lost(changed.error)]);
  const { value, warnings } = changed.value;
  const uncounted = value.notCounted.map((key): Warning => ({ code: "STATE_NOT_COUNTED", hook: hook.name, key }));
  return withWarnings(asked, [...warnings, ...uncounted]);
}

const withWarnings = (asked: HookResult, warnings: readonly Warning[]): HookResult => ({
  ...asked,
  warnings: [...asked.warnings, ...warnings],
});
