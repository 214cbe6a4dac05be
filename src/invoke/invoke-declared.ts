import { readResponse } from "../dialects/response/read-response.ts";
import { entryFolder } from "../fs/working-folder.ts";
import type { LocatedEntry, SchemeName } from "../protocol/entry.ts";
import { entryProgram } from "../protocol/entry.ts";
import type { EventName } from "../protocol/event.ts";
import type { Hook } from "../protocol/hook.ts";
import type { HookResult } from "../protocol/hook-response.ts";
import { EMPTY_RESPONSE } from "../protocol/hook-response.ts";
import type { Payload } from "../protocol/payload/payload.ts";
import { ok } from "../protocol/result.ts";
import { type InvokeContext, invokeProgram, type StartedProgram } from "./invoke-executable.ts";

/** Invokes a hook that a settings file declares. A rule decides without a process. */
export async function invokeDeclared(
  hook: Hook,
  entry: LocatedEntry,
  payload: Payload,
  context: InvokeContext,
): Promise<HookResult> {
  switch (entry.scheme) {
    case "block":
    case "ask":
      return { ...AT_ONCE, response: ok({ ...EMPTY_RESPONSE, decision: entry.scheme, reason: entry.value }) };
    case "inject":
      return { ...AT_ONCE, response: ok({ ...EMPTY_RESPONSE, context: [entry.value] }) };
    case "tool":
      return (await import("./invoke-tool.ts")).invokeTool(hook, entry, payload, context);
    case "template_push":
      return (await import("./invoke-templates.ts")).invokeTemplates(hook, entry.value, payload, context);
    case "command":
    case "shell_exec":
    case "shell_push": {
      const [file = "", ...args] = entryProgram(entry);
      const reader = await outputReader(hook, entry.scheme, payload.event);
      return invokeProgram(hook, payload, { ...context, cwd: entryFolder(entry) }, { file, args, ...reader });
    }
  }
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

/** The result of a rule, which starts no process. */
const AT_ONCE: Omit<HookResult, "response"> = {
  wasNotInvoked: false,
  exitCode: null,
  signal: null,
  durationMs: 0,
  stderr: "",
  warnings: [],
};
