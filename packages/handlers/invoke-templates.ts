import { readPush } from "../../src/dialects/response/read-push.ts";
import { type InvokeContext, invokeProgram, type StartedProgram } from "../../src/invoke/invoke-executable.ts";
import type { PushTemplates } from "../../src/protocol/entry.ts";
import type { Hook } from "../../src/protocol/hook.ts";
import { EMPTY_RESPONSE, type HookResult } from "../../src/protocol/hook-response.ts";
import { type JsonSpan, membersOf, objectOf, readJson, spanOfRaw, stringOf } from "../../src/protocol/json/read.ts";
import type { Payload } from "../../src/protocol/payload/payload.ts";
import { ok } from "../../src/protocol/result.ts";
import { decodeUtf8 } from "../../src/protocol/text/text.ts";

/**
 * Renders the templates of a `template_push`. A template cannot run code, but it can loop and use memory, so it is
 * rendered in its own process with the timeout of its hook and nothing but the payload.
 */
export async function invokeTemplates(
  hook: Hook,
  push: PushTemplates,
  payload: Payload,
  context: InvokeContext,
): Promise<HookResult> {
  const { TEMPLATE_WORDS } = await import("./template-program-path.ts");
  const inputOf = (payload: JsonSpan) =>
    objectOf([
      ["push", spanOfRaw(JSON.stringify(push))],
      ["payload", payload],
    ]);
  const read = (stdout: Uint8Array) => rendered(hook, stdout);
  const start: StartedProgram = { file: process.execPath, args: TEMPLATE_WORDS, isBare: true, inputOf, read };
  return invokeProgram(hook, payload, context, start);
}

/** A directive like that of a `shell_push`, or `{"skipped": why}`. */
function rendered(hook: Hook, stdout: Uint8Array): HookResult["response"] {
  const read = readJson(decodeUtf8(stdout) ?? "", 2);
  const skipped = read.ok ? membersOf(read.value).get("skipped") : undefined;
  if (skipped?.kind !== "string") return readPush(hook, stdout);
  return ok({ ...EMPTY_RESPONSE, warnings: [{ code: "PUSH_SKIPPED", hook: hook.name, detail: stringOf(skipped) }] });
}
