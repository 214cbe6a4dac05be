import { type Redact, redactJson } from "../../audit/redact.ts";
import type { HookResponse, HookResult } from "../../protocol/hook-response.ts";
import type { Problem } from "../../protocol/problem.ts";
import type { Warning } from "../../protocol/warning.ts";

/**
 * Redacts the result of a hook before anything of it is cut or escaped, because half a secret cannot be recognised.
 * New values, follow-ups and pushes stay as they are.
 */
export function redactResult(result: HookResult, redact: Redact): HookResult {
  const { response } = result;
  return {
    ...result,
    stderr: redact(result.stderr),
    warnings: result.warnings.map((warning) => redactTexts(warning, redact)),
    response: response.ok
      ? { ok: true, value: response.value === null ? null : redactedReply(response.value, redact) }
      : { ok: false, error: redactTexts(response.error, redact) },
  };
}

function redactedReply(reply: HookResponse, redact: Redact): HookResponse {
  return {
    ...reply,
    reason: reply.reason === null ? null : redact(reply.reason),
    context: reply.context.map(redact),
    systemMessage: reply.systemMessage === null ? null : redact(reply.systemMessage),
    metadata: reply.metadata === null ? null : redactJson(reply.metadata, redact),
    warnings: reply.warnings.map((warning) => redactTexts(warning, redact)),
    possibleBlock: reply.possibleBlock === null ? null : redactTexts(reply.possibleBlock, redact),
  };
}

/** Redacts all texts of a problem or warning except the hook's name and path. `found` may be JSON. */
export function redactTexts<T extends Problem | Warning>(source: T, redact: Redact): T {
  const texts = Object.entries(source).map(([key, value]): [string, unknown] => {
    if (typeof value !== "string" || ["code", "hook", "path"].includes(key)) return [key, value];
    return [key, key === "found" ? redactJson(value, redact) : redact(value)];
  });
  return Object.fromEntries(texts) as T;
}
