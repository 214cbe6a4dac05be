import { readNamedEvent } from "../../../src/cli/options.ts";
import { envelopeReader } from "../../../src/dialects/dialects.ts";
import { createRunContext } from "../../../src/engine/create-run-context.ts";
import { guardHooks } from "../../../src/engine/hooks/apply-settings.ts";
import { callDepth, DEPTH_LIMIT, type EngineHost, type EngineOptions } from "../../../src/engine/run-context.ts";
import type { Interrupt } from "../../../src/process/process-request.ts";
import { SOURCES, type Source } from "../../../src/protocol/hook.ts";
import { type JsonObject, NULL } from "../../../src/protocol/json/read.ts";
import { payloadOfValue, readPayload } from "../../../src/protocol/payload/payload.ts";
import { ProblemError, unwrap } from "../../../src/protocol/result.ts";
import {
  closed,
  listToJsonText,
  type PreparedRun,
  preparedBefore,
  prepareRun,
  runPrepared,
} from "../library/run-and-list.ts";
import { type ParamsOf, readParams, wrongParams } from "./params.ts";
import { type Cached, createCache, createPreparations } from "./preparations.ts";
import { requestEnvironment } from "./request-environment.ts";
import { createSlots } from "./slots.ts";

/** One request, as its method gets it. */
export interface MethodCall {
  readonly params: JsonObject;
  readonly interrupt: Interrupt;
  /** When it was received. */
  readonly beganMs: number;
}

/** Answers a request with JSON text in one line. Throws the problem of a request that has no result. */
export type Method = (call: MethodCall) => Promise<string>;

/** The outside of the server. */
export type ServerHost = Omit<EngineHost, "beganMs" | "interrupt" | "functions">;

export interface ServeOptions {
  /** The number of chains of hooks that run at a time. */
  readonly mostChains: number;
  /** Variables that requests may set in addition to those that any request may set. */
  readonly allowedVariables: readonly string[];
  /** The options of every run. */
  readonly engine: EngineOptions;
}

const CONTEXT = { directory: "folder", env: "variables" } as const;
const RUN = { event: "text", payload: "json", depth: "count", ...CONTEXT } as const;
const LIST = { event: "text", source: "text", ...CONTEXT } as const;

/** The methods that ask the engine. */
export function engineMethods(host: ServerHost, options: ServeOptions): Readonly<Record<"run" | "list", Method>> {
  const slots = createSlots(options.mostChains);
  const preparations = createPreparations<Cached<PreparedRun>>();
  const cache = createCache<PreparedRun>(host.nowMs);
  const ownDepth = callDepth(host.env);
  const requested = (directory: string | null): EngineOptions =>
    directory === null ? options.engine : { ...options.engine, directory };

  const hostOf = (
    { env, depth = 0 }: Pick<ParamsOf<typeof RUN>, "env"> & { readonly depth?: number },
    { interrupt, beganMs }: MethodCall,
  ): EngineHost => {
    // A server that a hook has started is as deep as that hook.
    const ofRequest = Math.max(ownDepth, depth);
    if (ofRequest >= DEPTH_LIMIT) throw new ProblemError({ code: "RECURSION", depth: ofRequest });
    const { allowedVariables: allowed } = options;
    return { ...host, env: requestEnvironment(host.env, env, { allowed, depth }), interrupt, beganMs };
  };

  const run: Method = async (call) => {
    const params = readParams(RUN, call.params, ["event", "payload"]);
    const { event, payload, depth, directory, env } = params;
    const named = unwrap(readNamedEvent(event ?? ""));
    const requestHost = hostOf(params, call);
    const read = unwrap(payloadOfValue(named.event, payload ?? NULL, host.cwd, envelopeReader(named.dialect)));
    const free = await slots.take(depth, call.interrupt);
    if (free === null) throw closed();
    try {
      const key = JSON.stringify([named.event, directory, depth, [...env]]);
      const prepared = await preparations.prepare(key, call.interrupt, (interrupt) =>
        cache.find(key, interrupt, () => prepareRun(named.event, requested(directory), { ...requestHost, interrupt })),
      );
      if (call.interrupt.raised() !== null) throw closed();
      const { value, isReused, during } = prepared;
      return await during(() => runPrepared(read, isReused ? preparedBefore(value) : value, requestHost));
    } finally {
      free();
    }
  };

  const list: Method = async (call) => {
    const params = readParams(LIST, call.params, []);
    const { event, source, directory } = params;
    const named = event === null ? null : unwrap(readNamedEvent(event));
    if (source !== null && !isSource(source)) throw wrongParams(`params.source must be one of ${SOURCES.join(", ")}`);
    return listToJsonText({ event: named?.event ?? null, source }, requested(directory), hostOf(params, call));
  };
  return { run, list };
}

const isSource = (word: string): word is Source => SOURCES.some((source) => source === word);

const SAMPLE = '{"tool_name":"bash","tool_input":{"command":"ls -l src | head"}}';

/**
 * Reads the settings and judges a harmless call by the enabled guards, so that the first request does not wait for their
 * code. Starts and records nothing. A failure is not reported, because the first request has the same failure.
 */
export async function preload(options: EngineOptions, host: EngineHost): Promise<void> {
  const created = await createRunContext(options, host, false);
  const payload = readPayload("before_tool_call", SAMPLE, host.cwd);
  if (!created.ok || !payload.ok) return;
  const { context } = created.value;
  const hooks = guardHooks(context.settings, "before_tool_call");
  if (hooks.length === 0) return;
  const { judge } = await context.loadGuards();
  for (const hook of hooks) await judge(hook, payload.value, context);
}
