import type { HookResult } from "../protocol/hook-response.ts";
import { itemsOf, type JsonSpan, membersOf, readJson } from "../protocol/json/read.ts";
import { type Payload, targetValue } from "../protocol/payload/payload.ts";
import { ok } from "../protocol/result.ts";

/** Restores the original digits of numbers that a JavaScript value returned unchanged. */
export function preserveNumbers(reply: HookResult["response"], payload: Payload): HookResult["response"] {
  if (!reply.ok || reply.value === null || reply.value.change === null) return reply;
  return ok({ ...reply.value, change: withKeptDigits(reply.value.change, targetValue(payload)) });
}

/**
 * The new value with the original digits of each number at the same path: JavaScript turns 12345678901234567890 into
 * 12345678901234567000.
 */
function withKeptDigits(change: string, original: string | null): string {
  const [now, before] = [
    readJson(change, Number.POSITIVE_INFINITY),
    readJson(original ?? "null", Number.POSITIVE_INFINITY),
  ];
  return now.ok && before.ok ? kept(now.value, before.value) : change;
}

const MOST_LEVELS = 64;

function kept(now: JsonSpan, before: JsonSpan | undefined, depth = 0): string {
  // Each level is parsed again, so deeper levels stay as JavaScript wrote them.
  if (before === undefined || depth > MOST_LEVELS) return now.raw;
  if (now.kind === "object" && before.kind === "object") {
    const old = membersOf(before);
    const members = [...membersOf(now)].map(
      ([key, span]) => `${JSON.stringify(key)}:${kept(span, old.get(key), depth + 1)}`,
    );
    return `{${members.join(",")}}`;
  }
  if (now.kind === "array" && before.kind === "array") {
    const old = itemsOf(before);
    return `[${itemsOf(now)
      .map((span, index) => kept(span, old[index], depth + 1))
      .join(",")}]`;
  }
  return isSameNumber(now, before) ? before.raw : now.raw;
}

/** `1e400` is infinite in JavaScript, which writes that as null. */
function isSameNumber(now: JsonSpan, before: JsonSpan): boolean {
  if (before.kind !== "number") return false;
  const value = Number(before.raw);
  return now.kind === "number" ? Number(now.raw) === value : now.kind === "null" && !Number.isFinite(value);
}
