import { portableChange } from "../dialects/dialects.ts";
import { readResponse } from "../dialects/response/read-response.ts";
import { entryFolder } from "../fs/paths.ts";
import { remainingMs } from "../process/process-request.ts";
import { entryProgram, type LocatedEntry, type SchemeName, schemeRow } from "../protocol/entry.ts";
import type { EventName } from "../protocol/event.ts";
import type { Hook } from "../protocol/hook.ts";
import { EMPTY_RESPONSE, type HookResponse, type HookResult } from "../protocol/hook-response.ts";
import type { Payload } from "../protocol/payload/payload.ts";
import { ok } from "../protocol/result.ts";
import { notInvoked, WITHOUT_PROCESS } from "./hook-result.ts";
import { type InvokeContext, invokeProgram, type StartedProgram } from "./invoke-executable.ts";

/** Invokes a hook that is a program or declared in a settings file. */
export async function invokeHook(hook: Hook, payload: Payload, context: InvokeContext): Promise<HookResult> {
  const refused = whyNotInvoked(hook, context);
  if (refused !== null) return refused;
  const result =
    hook.entry === null
      ? await invokeProgram(hook, payload, context, {
          file: hook.path,
          args: ["run"],
          read: (stdout) => readResponse(hook, payload.event, stdout),
        })
      : await invokeDeclared(hook, hook.entry, payload, context);
  return withPortableNames(hook, payload, result);
}

/** A new value in the names of the hook's dialect gets the portable names. */
export function withPortableNames(hook: Hook, payload: Payload, result: HookResult): HookResult {
  const { response } = result;
  if (!response.ok || response.value === null || response.value.change === null) return result;
  const change = portableChange(hook.dialect, payload, response.value.change);
  return { ...result, response: ok({ ...response.value, change }) };
}

/** The failure of a hook that must not start: it is refused, the run was interrupted, or the deadline has passed. Null if it may. */
export function whyNotInvoked(hook: Hook, context: Pick<InvokeContext, "interrupt" | "deadline">): HookResult | null {
  if (hook.refusal !== null) return notInvoked(hook.refusal, true);
  const at = { hook: hook.name, path: hook.path };
  const signal = context.interrupt.raised();
  if (signal !== null) return notInvoked({ code: "HOOK_INTERRUPTED", ...at, signal }, false);
  if (remainingMs(context.deadline) <= 0 && !isAtOnce(hook))
    return notInvoked({ code: "HOOK_DEADLINE_PASSED", ...at }, false);
  return null;
}

/** A rule or a built-in guard takes no time, so it also applies after the deadline. */
const isAtOnce = ({ kind, entry }: Hook): boolean =>
  kind === "guard" || (entry !== null && schemeRow(entry.scheme).kind === "rule");

/** Invokes a hook that a settings file declares. A rule decides without a process. */
async function invokeDeclared(
  hook: Hook,
  entry: LocatedEntry,
  payload: Payload,
  context: InvokeContext,
): Promise<HookResult> {
  switch (entry.scheme) {
    case "block":
    case "ask":
      return applyRule(hook, payload, context, { decision: entry.scheme, reason: entry.value });
    case "inject":
      return applyRule(hook, payload, context, { context: [entry.value] });
    case "tool":
      return (await import("../../packages/handlers/invoke-tool.ts")).invokeTool(hook, entry, payload, context);
    case "template_push":
      return (await import("../../packages/handlers/invoke-templates.ts")).invokeTemplates(
        hook,
        entry.value,
        payload,
        context,
      );
    case "command":
    case "shell_exec":
    case "shell_push": {
      const [file = "", ...args] = entryProgram(entry);
      const reader = await outputReader(hook, entry.scheme, payload.event);
      return invokeProgram(hook, payload, context, { file, args, cwd: entryFolder(entry), ...reader });
    }
  }
}

/** A rule starts no process, but must still be the approved one. */
async function applyRule(
  hook: Hook,
  payload: Payload,
  context: InvokeContext,
  response: Partial<HookResponse>,
): Promise<HookResult> {
  const prepared = await context.prepare(hook, payload, context.cwd);
  if (!prepared.ok) return notInvoked(prepared.error, true);
  return { ...WITHOUT_PROCESS, response: ok({ ...EMPTY_RESPONSE, ...response }) };
}

/** How the output of a command is read. Reyn's shell schemes print nothing, or one push, and cannot block. */
async function outputReader(
  hook: Hook,
  scheme: SchemeName,
  event: EventName,
): Promise<Pick<StartedProgram, "read" | "stdoutLimitBytes">> {
  // A build or a test run may print any amount.
  if (scheme === "shell_exec") return { read: () => ok(null), stdoutLimitBytes: Number.POSITIVE_INFINITY };
  if (scheme !== "shell_push") return { read: (stdout) => readResponse(hook, event, stdout) };
  const { readPush } = await import("../dialects/response/read-push.ts");
  return { read: (stdout) => readPush(hook, stdout) };
}
