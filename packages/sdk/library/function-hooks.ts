import type { Settings } from "../../../src/config/merge-settings.ts";
import { agentHookContext } from "../../../src/dialects/agenthook.ts";
import { dialectsByEvent } from "../../../src/discover/read-identity.ts";
import type { FunctionHooks } from "../../../src/engine/run-context.ts";
import type { EventName } from "../../../src/protocol/event.ts";
import { type Candidate, type Hook, RANK, UNKNOWN_STAMP } from "../../../src/protocol/hook.ts";
import { jsonText } from "../../../src/protocol/json/write.ts";
import type { Payload } from "../../../src/protocol/payload/payload.ts";
import type { Warning } from "../../../src/protocol/warning.ts";
import { approvedHook } from "./approved-hook.ts";
import type { AgentHookFields } from "./event-types.ts";
import { type BoundFunction, invokeFunction } from "./invoke-function.ts";
import type { RegisteredHook } from "./registry.ts";
import { sessionStore } from "./session-store.ts";

/** Converts the registered functions of one run to hooks. */
export function functionHooks(entries: readonly RegisteredHook[]): FunctionHooks {
  const byRank = new Map(entries.map((entry): [number, RegisteredHook] => [RANK.function + entry.position, entry]));
  return {
    hooksFor: (event, settings) => [...byRank].map(([rank, entry]) => functionHook(entry, rank, event, settings)),
    invoke: async (hook, payload, session, context) => {
      const { event } = payload;
      const call = byRank.get(hook.rank)?.calls.get(event);
      const warnings: Warning[] = [];
      const state = sessionStore(hook.name, session, (warning) => void warnings.push(warning));
      const fields = { event, session: payload.session, ...agentContext(payload), hook: hook.name, state };
      const bound: BoundFunction = (own, signal) => call?.function(own, { ...fields, signal });
      const result = await invokeFunction(hook, bound, payload, context);
      // Each use of the state would repeat the same warning.
      return { ...result, warnings: [...result.warnings, ...warnings.slice(0, 1)] };
    },
  };
}

/** The values of AgentHook's context. */
function agentContext(payload: Payload): Omit<AgentHookFields["ctx"], "state"> {
  const { state, ...place } = JSON.parse(jsonText(agentHookContext(payload))) as AgentHookFields["ctx"];
  return place;
}

/** The user's settings for a hook of this name apply to a function too. */
function functionHook(entry: RegisteredHook, rank: number, event: EventName | null, settings: Settings): Hook {
  const { options } = entry;
  const candidate = { ...NO_FILE, name: entry.name, path: `function:${entry.name}`, rank };
  const events = [...entry.calls].map(([called, { dialect }]) => ({ event: called, dialect }));
  const identity = {
    events: [...entry.calls.keys()],
    ...dialectsByEvent(events, undefined),
    priority: options.priority ?? null,
    failOpen: options.failOpen ?? null,
    observe: options.observe ?? null,
    timeoutMs: entry.timeoutMs,
    match: options.match ?? null,
    outputLimit: null,
    background: false,
    readsEnv: false,
    files: [],
  };
  return { ...approvedHook(candidate, identity, event, settings), kind: "function" };
}

const NO_FILE: Omit<Candidate, "name" | "path" | "rank"> = {
  realPath: "",
  source: "config",
  stamp: UNKNOWN_STAMP,
  projectDir: null,
  entry: null,
};
