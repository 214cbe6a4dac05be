import type { Asked } from "../contract/asked.ts";
import type { Hook } from "../contract/hook.ts";
import { type Payload, payloadText } from "../contract/payload.ts";
import type { Problem } from "../contract/problem.ts";
import { fail, ok, type Result } from "../contract/result.ts";
import { addedFor } from "../dialects/dialects.ts";
import { readReply } from "../dialects/read-reply.ts";
import { lostBlock, outputLimit, slowness } from "./answered.ts";
import type { AskGround } from "./ask-executable.ts";
import { causeOf, type FunctionOutcome, outcomeOf } from "./function-outcome.ts";
import { replyWithKeptDigits } from "./kept-digits.ts";
import { momentOf } from "./moment.ts";

/** A hook's function with its context already in it. It gets a copy of the payload of its own. */
export type BoundFunction = (payload: unknown, signal: AbortSignal) => unknown;

/** Calls a function and reads what it returns exactly as if a process had printed it. Never rejects. */
export async function askFunction(
  hook: Hook,
  call: BoundFunction,
  payload: Payload,
  ground: AskGround,
): Promise<Asked> {
  const startedMs = performance.now();
  const remainingMs = Math.max(1, ground.remainingMs());
  const text = payloadText(payload, addedFor(hook.dialect, payload, momentOf(payload, ground.isoTime)));
  const outcome = await outcomeOf(
    (signal) => call(JSON.parse(text), signal),
    Math.min(hook.timeoutMs, remainingMs),
    ground.interrupt,
  );
  const said = saidBy(hook, outcome, { byDeadline: remainingMs < hook.timeoutMs, limitBytes: outputLimit(hook, text) });
  const stdout = new TextEncoder().encode(said.ok ? said.value : "");
  const reply = said.ok ? replyWithKeptDigits(readReply(hook, payload.event, stdout), payload) : said;
  const durationMs = performance.now() - startedMs;
  return {
    reply,
    isHindered: false,
    exitCode: null,
    signal: null,
    durationMs,
    stderr: "",
    warnings: [...(outcome.kind === "returned" ? slowness(hook, durationMs) : []), ...lostBlock(hook, reply, stdout)],
  };
}

interface Limits {
  /** Its timeout was what was left for the whole chain. */
  readonly byDeadline: boolean;
  readonly limitBytes: number;
}

/** What a process would have printed in its place. */
function saidBy(hook: Hook, outcome: FunctionOutcome, { byDeadline, limitBytes }: Limits): Result<string, Problem> {
  const at = { hook: hook.name, path: hook.path };
  switch (outcome.kind) {
    case "threw":
      return fail({ code: "HOOK_THREW", ...at, cause: outcome.cause });
    case "timed-out":
      return fail({ code: "HOOK_TIMED_OUT", ...at, afterMs: outcome.afterMs, byDeadline, ended: 0 });
    case "interrupted":
      return fail({ code: "HOOK_INTERRUPTED", ...at, signal: outcome.signal });
    case "returned":
      return written(at, outcome.value, limitBytes);
  }
}

function written(at: { hook: string; path: string }, value: unknown, limitBytes: number): Result<string, Problem> {
  if (value === undefined) return ok("");
  try {
    const text: string | undefined = JSON.stringify(value);
    if (text === undefined) {
      return fail({ code: "REPLY_NOT_JSON", ...at, line: 1, detail: `a ${typeof value} is no JSON value`, text: "" });
    }
    // A character is at least one byte; only a long text is measured.
    if (text.length > limitBytes || Buffer.byteLength(text) > limitBytes) {
      return fail({ code: "HOOK_TOO_MUCH_OUTPUT", ...at, limitBytes });
    }
    return ok(text);
  } catch (error) {
    return fail({ code: "REPLY_NOT_JSON", ...at, line: 1, detail: causeOf(error), text: "" });
  }
}
