import type { HookResult } from "../protocol/hook-response.ts";
import { itemsOf, type JsonSpan, membersOf, readJson } from "../protocol/json/read.ts";
import { type Payload, targetValue } from "../protocol/payload.ts";
import { ok } from "../protocol/result.ts";

/** A reply that was made of a value: where it left a number as it was, the number keeps its digits. */
export function preserveNumbers(reply: HookResult["response"], payload: Payload): HookResult["response"] {
  if (!reply.ok || reply.value === null || reply.value.change === null) return reply;
  return ok({ ...reply.value, change: withKeptDigits(reply.value.change, targetValue(payload)) });
}

/**
 * The new value that a function gave, with each number it left as it was in the digits that came in: JavaScript
 * would make 12345678901234567000 of 12345678901234567890. A number is the same one if it stands at the same place.
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
  // Each level reads what lies in it again: deeper ones stay as JavaScript wrote them.
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
