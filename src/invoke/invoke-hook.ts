import { remainingMs } from "../process/clock.ts";
import { schemeRow } from "../protocol/entry.ts";
import type { Hook } from "../protocol/hook.ts";
import type { HookResult } from "../protocol/hook-response.ts";
import type { Payload } from "../protocol/payload/payload.ts";
import type { Problem } from "../protocol/problem.ts";
import { fail } from "../protocol/result.ts";
import { invokeDeclared } from "./invoke-declared.ts";
import { type InvokeContext, invokeExecutable } from "./invoke-executable.ts";

/** Invokes a hook of any kind. A refused one, or one after the deadline, fails without being started. */
export async function invokeHook(hook: Hook, payload: Payload, context: InvokeContext): Promise<HookResult> {
  if (hook.refusal !== null) return notInvoked(hook.refusal, true);
  const at = { hook: hook.name, path: hook.path };
  const signal = context.interrupt.raised();
  if (signal !== null) return notInvoked({ code: "HOOK_INTERRUPTED", ...at, signal }, false);
  if (remainingMs(context.deadline) <= 0 && !isAtOnce(hook))
    return notInvoked({ code: "HOOK_DEADLINE_PASSED", ...at }, false);
  if (context.invokeFunction !== null && hook.kind === "function")
    return context.invokeFunction(hook, payload, context);
  if (context.guardPlace !== null && hook.kind === "guard")
    return (await import("./invoke-guard.ts")).invokeGuard(hook, payload, context.guardPlace);
  const refusal = context.recheckTrust(hook);
  if (refusal !== null) return notInvoked(refusal, true);
  if (hook.entry !== null) return invokeDeclared(hook, hook.entry, payload, context);
  return invokeExecutable(hook, payload, context);
}

/** A rule or a built-in guard takes no time, so it also applies after the deadline. */
const isAtOnce = ({ kind, entry }: Hook): boolean =>
  kind === "guard" || (entry !== null && schemeRow(entry.scheme).kind === "rule");

function notInvoked(problem: Problem, isRefused: boolean): HookResult {
  return {
    response: fail(problem),
    wasNotInvoked: isRefused,
    exitCode: null,
    signal: null,
    durationMs: 0,
    stderr: "",
    warnings: [],
  };
}
