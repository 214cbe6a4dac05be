import { looksLikeBlock } from "../dialects/response/key-spelling.ts";
import type { Hook } from "../protocol/hook.ts";
import { EMPTY_RESPONSE, type HookResult } from "../protocol/hook-response.ts";
import type { Problem } from "../protocol/problem.ts";
import { fail, ok } from "../protocol/result.ts";
import { formatDuration } from "../protocol/text/units.ts";
import type { Warning } from "../protocol/warning.ts";

const LEAST_OUTPUT_BYTES = 4 * 1024 * 1024;
const SLOW_MS = 3000;

/** How much a hook may print: at least four times its payload, so that it can always return it changed. */
export function outputLimit({ outputLimit: own }: Pick<Hook, "outputLimit">, input: readonly (string | Buffer)[]) {
  return own ?? Math.max(LEAST_OUTPUT_BYTES, 4 * input.reduce((sum, part) => sum + Buffer.byteLength(part), 0));
}

/** The result of a hook that starts no process. */
export const WITHOUT_PROCESS: Omit<HookResult, "response"> = {
  wasNotInvoked: false,
  exitCode: null,
  signal: null,
  durationMs: 0,
  stderr: "",
  warnings: [],
};

/** The result of a hook that was not started. */
export const notInvoked = (problem: Problem, isRefused: boolean): HookResult => ({
  ...WITHOUT_PROCESS,
  response: fail(problem),
  wasNotInvoked: isRefused,
});

/**
 * The response of a hook that failed. Only a readable block is used, with its messages; an ask, too, unless the
 * hook is fail-closed: then its failure blocks.
 */
export function replyDespiteFailure(response: HookResult["response"], problem: Problem): HookResult["response"] {
  if (!response.ok || response.value === null) return fail(problem);
  const { decision, reason, context, systemMessage, metadata, warnings } = response.value;
  if (decision !== "block" && decision !== "ask") return fail(problem);
  const doubt = decision === "ask" ? problem : null;
  return ok({ ...EMPTY_RESPONSE, decision, reason, context, systemMessage, metadata, warnings, possibleBlock: doubt });
}

/** A short label for the failure of a hook whose block is used all the same. */
export function failureSummary(problem: Problem): string {
  switch (problem.code) {
    case "HOOK_EXITED":
      return `exit ${problem.exitCode}`;
    case "HOOK_SIGNALLED":
      return problem.signal;
    case "HOOK_TIMED_OUT":
      return `timed out after ${formatDuration(problem.afterMs)}`;
    case "HOOK_TOO_MUCH_OUTPUT":
      return "too much output";
    default:
      return "failed";
  }
}

/** An unreadable response decides nothing, but that it may have been a block is reported. */
export function lostBlockWarnings(hook: Hook, reply: HookResult["response"], stdout: Uint8Array): readonly Warning[] {
  if (reply.ok) return [];
  return looksLikeBlock(Buffer.from(stdout).toString("latin1")) ? [{ code: "BLOCK_LOST", hook: hook.name }] : [];
}

export const slowWarnings = (hook: Hook, durationMs: number): readonly Warning[] =>
  durationMs > SLOW_MS ? [{ code: "SLOW", hook: hook.name, durationMs }] : [];
