import { outsideOf } from "../../../src/engine/create-run-context.ts";
import { findAllCandidates } from "../../../src/engine/hooks/candidates.ts";
import { resolveHooks } from "../../../src/engine/hooks/resolve-hooks.ts";
import type { Host } from "../../../src/engine/host.ts";
import { ok } from "../../../src/protocol/result.ts";
import { openTrustStore } from "../../../src/trust/store/trust-store.ts";
import { createCache } from "../../sdk/serve/preparations.ts";
import { type PrepareCall, type PreparedCall, prepareCall, raisedEvents } from "../bridge/answer-call.ts";

type Prepared = Awaited<ReturnType<PrepareCall>>;

/** As many environments of callers as are in use at a time. */
const MOST_ENVIRONMENTS = 8;
const MOST_UNFIT = 1000;

/**
 * Prepares calls, and keeps what settings files say of calls that concern built-in guards alone: as long as each file that was
 * read for it, and each that was looked for and missing, is as it was. Hooks that are files are found anew for each call, with their
 * approvals.
 */
export function keptCalls(nowMs: () => number): PrepareCall {
  const caches = new Map<Host["env"], ReturnType<typeof createCache<Prepared>>>();
  /** Calls of which nothing can be kept: to look for it costs more than it brings. */
  const unfit = new Set<string>();
  return async (call, options, host) => {
    const { env, cwd, argv, interrupt } = host;
    const events = call.payloads.map(({ event }) => event);
    const key = JSON.stringify([argv, cwd, call.agent.name, call.nativeEvent, events]);
    if (unfit.has(key)) return prepareCall(call, options, host);
    const cache = caches.get(env) ?? createCache<Prepared>(nowMs);
    if (!caches.has(env) && caches.size >= MOST_ENVIRONMENTS) caches.clear();
    caches.set(env, cache);
    const { value, isReused } = await cache.find(key, interrupt, () => prepareWhole(call, options, host));
    if (value.ok && value.value.hookSets !== null) return isReused ? ok(renewed(value.value, host)) : value;
    if (unfit.size >= MOST_UNFIT) unfit.clear();
    unfit.add(key);
    return value;
  };
}

/** Without hooks that are files everything is known before the call is answered. */
const prepareWhole: PrepareCall = async (call, options, host) => {
  const prepared = await prepareCall(call, options, host);
  if (!prepared.ok) return prepared;
  const { context } = prepared.value;
  const found = findAllCandidates(context);
  if (found.candidates.length + found.unseen.length > 0 || context.machine !== null) return prepared;
  const hookSets = [];
  for (const { payload, context: ofEvent } of raisedEvents(call, context, host))
    hookSets.push(await resolveHooks(found, ofEvent, payload.event));
  return ok({ ...prepared.value, found, hookSets });
};

/** The same for another call. What is derived from a preparation is remembered by its scopes. */
function renewed({ context, loaded, found, hookSets }: PreparedCall, host: Host): PreparedCall {
  const { scopes } = context;
  const trustStore = openTrustStore({ ...context, userId: host.userId });
  const sets = hookSets?.map((set) => ({ ...set, resolveMs: 0 })) ?? null;
  return {
    context: { ...context, ...outsideOf(host), scopes: { ...scopes }, trustStore },
    loaded,
    found,
    hookSets: sets,
  };
}
