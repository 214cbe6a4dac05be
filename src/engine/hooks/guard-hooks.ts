import type { Settings } from "../../config/merge-settings.ts";
import type { EventName } from "../../protocol/event.ts";
import { type EffectiveGuard, GUARD_EVENTS } from "../../protocol/guard-settings.ts";
import { type Candidate, type Hook, RANK, UNKNOWN_STAMP } from "../../protocol/hook.ts";
import { ok } from "../../protocol/result.ts";
import { resolveHook } from "./resolve-hook.ts";

/** After every other hook, so that a guard judges what will be executed. */
const GUARD_PRIORITY = 1_000;

/** The built-in guards that are on, as hooks. They are part of hookctl and need no approval. */
export const guardHooks = (settings: Settings, event: EventName | null): readonly Hook[] =>
  settings.guards.map((guard, at) => guardHook(guard, at, settings, event));

function guardHook(guard: EffectiveGuard, at: number, settings: Settings, event: EventName | null): Hook {
  const { name, file, source, observe } = guard;
  const path = `${file}#guards.${name}`;
  const candidate: Candidate = {
    ...{ name, path, realPath: path, source, rank: RANK.guard + at },
    ...{ projectDir: null, stamp: UNKNOWN_STAMP, entry: null },
  };
  const hook = resolveHook({
    candidate,
    status: { trust: "trusted", problem: null, approval: null },
    identity: ok({
      ...{ events: GUARD_EVENTS[name], dialect: "kodelet", priority: GUARD_PRIORITY, failOpen: observe, observe },
      ...{ timeoutMs: null, match: null, outputLimit: null, background: false, files: [] },
    }),
    hash: null,
    mentionedEvents: [],
    isUnidentifiedGuard: false,
    event,
    settings,
  });
  return { ...hook, kind: "guard" };
}
