import { explain } from "../protocol/explain.ts";
import { type Hook, hookForEvent, mentionsOnlyOtherEvents } from "../protocol/hook.ts";
import { matches, mayMatch } from "../protocol/match.ts";
import type { Payload } from "../protocol/payload.ts";

/** Why a hook has no turn with this payload, whatever the hooks before it say; null when it has. */
export function skipReason(hook: Hook, payload: Payload): string | null {
  const { event, members } = payload;
  const named = { event, dialect: hook.dialect };
  return skipReasonUnless(hook, payload, () =>
    matches(hook.match, hook.match === null ? members : (payload.inWordsOf?.(hook.dialect, payload) ?? members), named),
  );
}

/** Is it certain, before the dialects are loaded, that a hook has no turn? */
export const isSurelySkipped = (hook: Hook, payload: Payload): boolean =>
  skipReasonUnless(hook, payload, () =>
    mayMatch(hook.match, payload.members, { event: payload.event, dialect: hookForEvent(hook, payload.event).dialect }),
  ) !== null;

function skipReasonUnless(hook: Hook, payload: Payload, fitsMatch: () => boolean): string | null {
  if (hook.disabledReason !== null) return hook.disabledReason;
  const { refusal } = hook;
  if (refusal !== null && mentionsOnlyOtherEvents(hook, payload.event)) return explain(refusal).summary;
  return fitsMatch() ? null : "its match does not fit this payload";
}
