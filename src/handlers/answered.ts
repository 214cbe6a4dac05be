import type { Asked } from "../contract/asked.ts";
import type { Hook } from "../contract/hook.ts";
import type { Warning } from "../contract/warning.ts";

/** The longest reply of a hook of any kind (SPEC 5). */
export const STDOUT_LIMIT_BYTES = 1024 * 1024;
const SLOW_MS = 3000;

const BLOCK_WORDS =
  /"blocked"\s*:\s*true|"(?:action|decision|permissionDecision|behavior)"\s*:\s*"(?:block|deny|reject)"|"Reject"\s*:/i;

/** A failed hook's reply is not used, whatever it is; but that it meant to block must be said (SPEC 6). */
export function lostBlock(hook: Hook, reply: Asked["reply"], stdout: Uint8Array): readonly Warning[] {
  if (reply.ok || ("saidBlock" in reply.error && reply.error.saidBlock)) return [];
  return BLOCK_WORDS.test(Buffer.from(stdout).toString("latin1")) ? [{ code: "BLOCK_LOST", hook: hook.name }] : [];
}

export const slowness = (hook: Hook, durationMs: number): readonly Warning[] =>
  durationMs > SLOW_MS ? [{ code: "SLOW", hook: hook.name, durationMs }] : [];
