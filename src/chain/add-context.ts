import type { Hook } from "../protocol/hook.ts";
import type { HookResponse } from "../protocol/hook-response.ts";
import type { Warning } from "../protocol/warning.ts";

export const CONTEXT_LIMIT_BYTES = 8 * 1024;

/** Adds the context of one response. More than 8 KiB is cut, with a mark at the end. */
export function addContext(
  before: readonly string[],
  hook: Hook,
  reply: HookResponse,
): { readonly all: readonly string[]; readonly warnings: readonly Warning[] } {
  const own = cutToLimit(reply.context);
  const kept = reply.contextMode === "overwrite" ? [] : before;
  return {
    all: [...kept, ...own.texts],
    warnings: own.isCut ? [{ code: "CONTEXT_CUT", hook: hook.name, limitBytes: CONTEXT_LIMIT_BYTES }] : [],
  };
}

function cutToLimit(texts: readonly string[]): { readonly texts: readonly string[]; readonly isCut: boolean } {
  const kept: string[] = [];
  let room = CONTEXT_LIMIT_BYTES;
  for (const text of texts) {
    const { read } = new TextEncoder().encodeInto(text, new Uint8Array(room));
    if (read < text.length) return { texts: [...kept, `${text.slice(0, read)}… [cut at 8 KiB]`], isCut: true };
    room -= new TextEncoder().encode(text).length;
    kept.push(text);
  }
  return { texts: kept, isCut: false };
}
