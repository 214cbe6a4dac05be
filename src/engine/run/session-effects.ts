import { join } from "node:path";
import { isSurelyMissing } from "../../fs/paths.ts";
import { EVENT_ROWS, type PersonCause } from "../../protocol/event.ts";
import type { Hook } from "../../protocol/hook.ts";
import type { HookResult } from "../../protocol/hook-response.ts";
import { itemsOf, type JsonSpan, membersOf, stringOf } from "../../protocol/json/read.ts";
import type { Payload } from "../../protocol/payload/payload.ts";
import type { Verdict } from "../../protocol/verdict.ts";
import type { Warning } from "../../protocol/warning.ts";
import { type Session, sessionById, sessionFolder } from "../../session/session-folder.ts";
import { lockTimeoutMs, type RunContext } from "../run-context.ts";

/** The session of a payload. */
export const sessionOfPayload = (payload: Payload, context: RunContext): Session =>
  sessionById(payload.session, context);

/** Adds the session's values to a payload. They are read for each hook, so that it sees the changes of earlier hooks. */
export async function withSessionState(
  payload: Payload,
  { folder }: Session,
): Promise<{ readonly payload: Payload; readonly warnings: readonly Warning[] }> {
  const isKnown = folder === null || payload.members.has("state");
  if (isKnown || isSurelyMissing(join(folder, "state"))) return { payload, warnings: [] };
  const { readState, stateText } = await import("../../session/state.ts");
  const read = await readState(folder);
  if (!read.ok) return { payload, warnings: [{ code: "STATE_NOT_READ", path: folder, cause: read.error }] };
  const { value, warnings } = read.value;
  if (value.size === 0) return { payload, warnings };
  const members = new Map([...payload.members, ["state", { kind: "object", raw: stateText(value) }] as const]);
  return { payload: { ...payload, members }, warnings };
}

interface PatchContext {
  readonly session: Session;
  readonly context: RunContext;
}

/** Applies the state patch of a hook that succeeded and is not an observer. */
export async function applyStatePatch(
  hook: Hook,
  result: HookResult,
  { session, context }: PatchContext,
): Promise<HookResult> {
  const patch = result.response.ok && !hook.observe ? (result.response.value?.state ?? null) : null;
  if (patch === null) return result;
  const lost = (cause: string): Warning => ({ code: "STATE_NOT_KEPT", hook: hook.name, cause });
  if (session.folder === null) return withWarnings(result, [lost(session.why)]);
  const { changeState } = await import("../../session/state.ts");
  const changed = await changeState(session.folder, patch, lockTimeoutMs(context));
  if (!changed.ok) return withWarnings(result, [lost(changed.error)]);
  const { value, warnings } = changed.value;
  const uncounted = value.notCounted.map((key): Warning => ({ code: "STATE_NOT_COUNTED", hook: hook.name, key }));
  return withWarnings(result, [...warnings, ...uncounted]);
}

const withWarnings = (result: HookResult, warnings: readonly Warning[]): HookResult => ({
  ...result,
  warnings: [...result.warnings, ...warnings],
});

/** Resets the turn limit if a user message caused this event, also if no hook handles it. Costs one file-system call. */
export async function resetTurnLimitOnUserMessage(payload: Payload, context: RunContext): Promise<readonly Warning[]> {
  const { sessionsDir } = context;
  const { causedByPerson } = EVENT_ROWS[payload.event];
  if (causedByPerson === undefined || payload.session === "" || sessionsDir === null) return [];
  const message = messageOfPerson(payload, causedByPerson);
  if (message === null) return [];
  const folder = sessionFolder(sessionsDir, payload.session);
  if (isSurelyMissing(join(folder, "valve"))) return [];
  const { resetTurnLimit } = await import("../../session/turn-limit.ts");
  const reset = await resetTurnLimit(folder, message, lockTimeoutMs(context));
  return reset.ok ? reset.value.warnings : [{ code: "TURNS_NOT_COUNTED", cause: reset.error }];
}

/** The user message in a payload; `text` is null if the payload does not hold it. Null if no user caused this event. */
function messageOfPerson({ members }: Payload, cause: PersonCause): { readonly text: string | null } | null {
  const { messages, sender } = cause;
  // A message to a subagent comes from the agent that started it.
  if (isText(members.get("invoked_by"), "subagent")) return null;
  const texts = messages.flatMap((field) => textsIn(members.get(field)));
  if (sender === undefined) return { text: texts.join("\n") };
  return isText(members.get(sender.field), sender.value)
    ? { text: texts.length === 0 ? null : texts.join("\n") }
    : null;
}

const isText = (span: JsonSpan | undefined, expected: string): boolean =>
  span?.kind === "string" && stringOf(span) === expected;

/** Fields in which agents put the text of a message; other fields, such as its role, are not read. */
const TEXT_KEYS = ["message", "messages", "text", "content", "user_text", "input", "parts"];

/** The texts of a message: itself, or those in a list or in an object. */
function textsIn(span: JsonSpan | undefined): readonly string[] {
  if (span?.kind === "string") return [stringOf(span)];
  if (span?.kind === "array") return itemsOf(span).flatMap(textsIn);
  if (span?.kind !== "object") return [];
  const members = membersOf(span);
  const known = TEXT_KEYS.filter((key) => members.has(key));
  return (known.length === 0 ? [...members.keys()] : known).flatMap((key) => textsIn(members.get(key)));
}

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
