import { type ChainState, runChain, verdictOf } from "../../src/chain/advance.ts";
import { type PostOrder, sortHooks } from "../../src/chain/order.ts";
import { readResponse } from "../../src/dialects/response/read-response.ts";
import { type EventName, fieldsOf } from "../../src/protocol/event.ts";
import { type Hook, makeHook } from "../../src/protocol/hook.ts";
import { EMPTY_RESPONSE, type HookResponse, type HookResult } from "../../src/protocol/hook-response.ts";
import { type Payload, readPayload } from "../../src/protocol/payload/payload.ts";
import type { Problem } from "../../src/protocol/problem.ts";
import { fail, ok, type Result } from "../../src/protocol/result.ts";
import type { Verdict } from "../../src/protocol/verdict.ts";

/** A hook that is ready to be asked. */
export function aHook(name: string, over: Partial<Omit<Hook, "state">> = {}): Hook {
  return makeHook({
    ...{ name, path: `/hooks/${name}`, source: "user", kind: "executable", rank: 0, events: [], mentionedEvents: [] },
    ...{ dialect: "kodelet", priority: 100, failOpen: true, observe: false, timeoutMs: 30_000, match: null },
    ...{
      background: false,
      readsEnv: false,
      disabledReason: null,
      isWeakenedBySettings: false,
      trust: "trusted",
      refusal: null,
      entry: null,
      hash: null,
      shadows: null,
    },
    ...{ projectDir: null, outputLimit: null },
    ...over,
  });
}

/** A valid payload: the samples of the required fields under `over`. */
export function aPayload(event: EventName, over: Readonly<Record<string, unknown>> = {}): Payload {
  const needed = Object.entries(fieldsOf(event)).filter(([name, field]) => field.isRequired && name !== "agent");
  const samples = Object.fromEntries(needed.map(([name, field]) => [name, field.sample]));
  const read = readPayload(event, JSON.stringify({ ...samples, event, ...over }), "/work");
  if (!read.ok) throw new Error(JSON.stringify(read.error));
  return read.value;
}

const aReply = (over: Partial<HookResponse>): HookResponse => ({ ...EMPTY_RESPONSE, ...over });

export function asked(reply: Result<HookResponse | null, Problem>, over: Partial<HookResult> = {}): HookResult {
  return {
    response: reply,
    wasNotInvoked: false,
    exitCode: 0,
    signal: null,
    durationMs: 5,
    stderr: "",
    warnings: [],
    ...over,
  };
}

export const replied = (over: Partial<HookResponse>): HookResult => asked(ok(aReply(over)));
export const crashed = (hook: Hook): HookResult =>
  asked(fail({ code: "HOOK_SIGNALLED", hook: hook.name, path: hook.path, signal: "SIGSEGV" }));

/** What a hook prints when it sees a payload. */
export type Prints = string | ((payload: Payload) => string);
export interface Told {
  readonly state: ChainState;
  readonly verdict: Verdict;
  /** Names of the hooks that were asked, in the order they were. */
  readonly asked: readonly string[];
}

/** Runs hooks that print these texts over a payload, in run order. */
export async function result(
  payload: Payload,
  hooks: readonly (readonly [Hook, Prints])[],
  postOrder: PostOrder = "dialect",
): Promise<Told> {
  const prints = new Map(hooks.map(([hook, text]) => [hook.name, text]));
  const names: string[] = [];
  const ordered = sortHooks(
    hooks.map(([hook]) => hook),
    payload.event,
    postOrder,
  );
  const state = await runChain(ordered, payload, {
    invoke: async (hook, current) => {
      names.push(hook.name);
      const text = prints.get(hook.name) ?? "";
      const stdout = Buffer.from(typeof text === "string" ? text : text(current));
      return asked(readResponse(hook, current.event, stdout));
    },
  });
  return { state, verdict: verdictOf(state), asked: names };
}

export const outcomes = ({ verdict }: Pick<Told, "verdict">): readonly string[] =>
  verdict.steps.map((step) => step.outcome);
