import { filesToAsk } from "../dialects/dialects.ts";
import { readResponse } from "../dialects/response/read-response.ts";
import type { Hook } from "../protocol/hook.ts";
import type { HookResult } from "../protocol/hook-response.ts";
import type { Payload } from "../protocol/payload/payload.ts";
import { type InvokeContext, type StartedProgram, startProgram } from "./invoke-executable.ts";

/** Starts `<hook> run` with the payload on stdin and reads its response. */
export function invokeExecutable(hook: Hook, payload: Payload, context: InvokeContext): Promise<HookResult> {
  const read = (stdout: Uint8Array) => readResponse(hook, payload.event, stdout);
  return invokeProgram(hook, payload, context, { file: hook.path, args: ["run"], read });
}

/** Starts a program with the payload on stdin, with the timeout and output limit of its hook. */
export async function invokeProgram(
  hook: Hook,
  payload: Payload,
  context: InvokeContext,
  program: StartedProgram,
): Promise<HookResult> {
  const files = hook.readsEnv ? [] : filesToAsk(hook.dialect, payload);
  if (!hook.readsEnv && files.length === 0) return startProgram(hook, payload, context, program);
  const { invokeInParts } = await import("./invoke-in-parts.ts");
  return invokeInParts(hook, payload, context, { ...program, files });
}
