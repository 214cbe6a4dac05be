import { explain } from "../contract/explain.ts";
import { type Hook, isMeantElsewhere } from "../contract/hook.ts";
import { matches } from "../contract/match.ts";
import type { Payload } from "../contract/payload.ts";

/** Why a hook has no turn with this payload, whatever the hooks before it say; null when it has. */
export function reasonToPass(hook: Hook, payload: Payload): string | null {
  if (hook.off !== null) return hook.off;
  const { hindrance } = hook;
  if (hindrance !== null && isMeantElsewhere(hook, payload.event)) return explain(hindrance).summary;
  const { event, members } = payload;
  return matches(hook.match, members, { event, dialect: hook.dialect }) ? null : "its match does not fit this payload";
}
