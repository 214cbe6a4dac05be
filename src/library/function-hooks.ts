import type { EventName } from "../contract/event.ts";
import type { Candidate, Hook } from "../contract/hook.ts";
import { ok } from "../contract/result.ts";
import type { StateStore } from "../contract/state-store.ts";
import { askFunction } from "../handlers/ask-function.ts";
import type { Functions } from "../runtime/ground.ts";
import { settledHook } from "../runtime/settled-hook.ts";
import type { Settings } from "../settings/settings.ts";
import type { Entry } from "./registry.ts";

/** Behind every folder and every settings file: where priorities tie, functions come last, as they were registered. */
const FIRST_FOLDER = 2 ** 40;

/** The registered functions of one run as hooks among hooks. */
export function functionsOf(entries: readonly Entry[], stateOf: (session: string) => StateStore): Functions {
  const byFolder = new Map(entries.map((entry): [number, Entry] => [FIRST_FOLDER + entry.position, entry]));
  return {
    hooksFor: (event, settings) => [...byFolder].map(([folder, entry]) => hookOf(entry, folder, event, settings)),
    ask: (hook, payload, ground) => {
      const { event, session } = payload;
      const call = byFolder.get(hook.folder)?.calls.get(event);
      const context = { event, session, hook: hook.name, state: stateOf(session) };
      return askFunction(hook, (own, signal) => call?.(own, { ...context, signal }), payload, ground);
    },
  };
}

/** What the user's settings say of a hook of this name holds for a function too. */
function hookOf(entry: Entry, folder: number, event: EventName | null, settings: Settings): Hook {
  const { options } = entry;
  const settled = settledHook({
    candidate: { ...NO_FILE, name: entry.name, path: `function:${entry.name}`, folder },
    standing: { trust: "trusted", problem: null, approval: null },
    identity: ok({
      events: [...entry.calls.keys()],
      dialect: entry.dialect,
      priority: options.priority ?? null,
      failOpen: options.failOpen ?? null,
      observe: options.observe ?? null,
      timeoutMs: entry.timeoutMs,
      match: options.match ?? null,
      background: false,
      files: [],
    }),
    hash: null,
    claims: [],
    isGuard: false,
    event,
    settings,
  });
  return { ...settled, kind: "function" };
}

const NO_FILE: Omit<Candidate, "name" | "path" | "folder"> = {
  realPath: "",
  source: "config",
  stamp: { device: 0, inode: 0, size: 0, modifiedMs: 0, changedMs: 0, mode: 0, owner: 0 },
  entry: null,
};
