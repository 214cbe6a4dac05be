import type { Settings } from "../../../src/config/merge-settings.ts";
import { applySettings } from "../../../src/engine/hooks/apply-settings.ts";
import type { EventName } from "../../../src/protocol/event.ts";
import type { Candidate, Hook, Identity } from "../../../src/protocol/hook.ts";
import { ok } from "../../../src/protocol/result.ts";

/** A hook that needs no approval: a function of the program, or a file under test. */
export const approvedHook = (
  candidate: Candidate,
  identity: Identity,
  event: EventName | null,
  settings: Settings,
): Hook =>
  applySettings({
    candidate,
    status: { trust: "trusted", problem: null, approval: null },
    identity: ok(identity),
    hash: null,
    mentionedEvents: [],
    isUnidentifiedGuard: false,
    event,
    settings,
  });
