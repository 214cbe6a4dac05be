import type { DialectName } from "../protocol/event.ts";
import { type Hook, hookForEvent, mentionsOnlyOtherEvents } from "../protocol/hook.ts";
import type { JsonObject } from "../protocol/json/read.ts";
import { matches, mayMatch } from "../protocol/match.ts";
import type { Payload } from "../protocol/payload/payload.ts";
import { concernsGuards } from "../protocol/payload/tool-call.ts";
import { explain } from "../protocol/problem-message.ts";

/** The payload's members as a dialect names them. */
export type DialectMembers = (dialect: DialectName, payload: Payload) => JsonObject;

/** Why a hook does not run with this payload, whatever the hooks before it decide; null when it runs. */
export function skipReason(hook: Hook, payload: Payload, membersFor?: DialectMembers): string | null {
  const { match, dialect } = hook;
  const named = { event: payload.event, dialect };
  return skipReasonUnless(hook, payload, () =>
    matches(match, match === null ? payload.members : (membersFor?.(dialect, payload) ?? payload.members), named),
  );
}

/** True if a hook is skipped for certain, as far as that is known before the dialects are loaded. */
export const isSurelySkipped = (hook: Hook, payload: Payload): boolean =>
  skipReasonUnless(hook, payload, () =>
    mayMatch(hook.match, payload.members, { event: payload.event, dialect: hookForEvent(hook, payload.event).dialect }),
  ) !== null;

function skipReasonUnless(hook: Hook, payload: Payload, fitsMatch: () => boolean): string | null {
  if (hook.disabledReason !== null) return hook.disabledReason;
  const { refusal } = hook;
  if (refusal !== null && mentionsOnlyOtherEvents(hook, payload.event)) return explain(refusal).summary;
  if (hook.kind === "guard" && !concernsGuards(payload.event, payload.members)) return "it judges commands and files";
  return fitsMatch() ? null : "its match does not fit this payload";
}
