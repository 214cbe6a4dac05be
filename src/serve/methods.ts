import { readNamedEvent } from "../cli/options.ts";
import { envelopeReader } from "../dialects/dialects.ts";
import { callDepth, DEPTH_LIMIT, type EngineHost, type EngineOptions } from "../engine/run-context.ts";
import {
  listToJsonText,
  type PreparedRun,
  preparedBefore,
  prepareRun,
  type RunProblem,
  runPrepared,
} from "../library/run-and-list.ts";
import type { Interrupt } from "../process/process-request.ts";
import { SOURCES, type Source } from "../protocol/hook.ts";
import { type JsonObject, NULL, withMembers } from "../protocol/json/read.ts";
import { payloadOfValue } from "../protocol/payload/payload.ts";
import type { Problem } from "../protocol/problem.ts";
import { fail, ok, type Result } from "../protocol/result.ts";
import { createKeeper, type Kept } from "./kept.ts";
import { type ParamsOf, readParams } from "./params.ts";
import { createPreparations } from "./preparations.ts";
import { badRequest } from "./request.ts";
import { requestEnvironment } from "./request-environment.ts";
import { createSlots } from "./slots.ts";

/** One request, as its method sees it. */
export interface MethodCall {
  readonly params: JsonObject;
  readonly interrupt: Interrupt;
  /** When it was received. */
  readonly beganMs: number;
}

/** Answers a request with JSON text in one line. */
export type Method = (call: MethodCall) => Promise<Result<string, RunProblem>>;

/** The outside of the server. */
export type ServerHost = Omit<EngineHost, "beganMs" | "interrupt" | "functions">;

export interface ServeOptions {
  /** How many chains of hooks run at a time. */
  readonly mostChains: number;
  /** Variables that requests may set beside those that every request may. */
  readonly allowedVariables: readonly string[];
  /** The options of every run. */
  readonly engine: EngineOptions;
}

const WHERE = { directory: "folder", env: "variables" } as const;
const RUN = { event: "text", payload: "json", depth: "count", ...WHERE } as const;
const LIST = { event: "text", source: "text", ...WHERE } as const;

/** The methods that ask the engine. */
export function engineMethods(host: ServerHost, options: ServeOptions): Readonly<Record<"run" | "list", Method>> {
  const slots = createSlots(options.mostChains);
  const preparations = createPreparations<Kept<PreparedRun>>();
  const keeper = createKeeper<PreparedRun>(host.nowMs);
  const ownDepth = callDepth(host.env);
  const requested = (directory: string | null): EngineOptions =>
    directory === null ? options.engine : { ...options.engine, directory };

  const outsideOf = (
    { env, depth = 0 }: Pick<ParamsOf<typeof RUN>, "env"> & { readonly depth?: number },
    { interrupt, beganMs }: MethodCall,
  ): Result<EngineHost, Problem> => {
    // A server that a hook has started is as deep as that hook.
    const ofRequest = Math.max(ownDepth, depth);
    if (ofRequest >= DEPTH_LIMIT) return fail({ code: "RECURSION", depth: ofRequest });
    const { allowedVariables } = options;
    const merged = requestEnvironment(host.env, env, { allowed: allowedVariables, depth: Math.max(0, depth) });
    return merged.ok ? ok({ ...host, env: merged.value, interrupt, beganMs }) : merged;
  };

  const run: Method = async (call) => {
    const params = readParams(RUN, call.params, ["event", "payload"]);
    if (!params.ok) return params;
    const { event, payload, depth, directory, env } = params.value;
    const named = readNamedEvent(event ?? "");
    if (!named.ok) return named;
    const outside = outsideOf(params.value, call);
    if (!outside.ok) return outside;
    const given = withMembers(payload ?? NULL);
    const read = payloadOfValue(named.value.event, given, host.cwd, envelopeReader(named.value.dialect));
    if (!read.ok) return read;
    const free = await slots.take(depth, call.interrupt);
    if (free === null) return INTERRUPTED;
    try {
      const key = JSON.stringify([named.value.event, directory, depth, [...env]]);
      const prepared = await preparations.prepare(key, call.interrupt, (interrupt) =>
        keeper.find(key, {
          make: () => prepareRun(named.value.event, requested(directory), { ...outside.value, interrupt }),
          wasInterrupted: () => interrupt.raised() !== null,
        }),
      );
      if (call.interrupt.raised() !== null) return INTERRUPTED;
      if (!prepared.ok) return prepared;
      const { value, isReused, during } = prepared.value;
      return await during(() => runPrepared(read.value, isReused ? preparedBefore(value) : value, outside.value));
    } finally {
      free();
    }
  };

  const list: Method = async (call) => {
    const params = readParams(LIST, call.params, []);
    if (!params.ok) return params;
    const { event, source, directory } = params.value;
    const named = event === null ? ok(null) : readNamedEvent(event);
    if (!named.ok) return named;
    if (source !== null && !isSource(source)) return fail(badRequest(`params.source is one of ${SOURCES.join(", ")}`));
    const outside = outsideOf(params.value, call);
    if (!outside.ok) return outside;
    return listToJsonText({ event: named.value?.event ?? null, source }, requested(directory), outside.value);
  };
  return { run, list };
}

/** A payload that is missing was refused before. */

/** The service replaces this problem by the one that names what interrupted the request. */
const INTERRUPTED = fail<Problem>({ code: "USAGE_CLOSED" });

const isSource = (word: string): word is Source => SOURCES.some((source) => source === word);
