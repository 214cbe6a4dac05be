import { dialectFields } from "../../src/dialects/dialects.ts";
import { readResponse } from "../../src/dialects/response/read-response.ts";
import { entryFolder } from "../../src/fs/paths.ts";
import {
  lostBlockWarnings,
  notInvoked,
  outputLimit,
  replyDespiteFailure,
  slowWarnings,
} from "../../src/invoke/hook-result.ts";
import {
  envelopeExtras,
  type InvokeContext,
  type PreparedStart,
  problemAt,
} from "../../src/invoke/invoke-executable.ts";
import { type McpSession, openMcpSession, type ToolCallOutcome } from "../../src/invoke/mcp-session.ts";
import { preserveNumbers } from "../../src/invoke/preserve-numbers.ts";
import { outcomeProblem, startFailure } from "../../src/process/outcome-problem.ts";
import { monotonicMs, remainingMs } from "../../src/process/process-request.ts";
import { type EntryServer, type LocatedEntry, parseToolName } from "../../src/protocol/entry.ts";
import type { Hook } from "../../src/protocol/hook.ts";
import type { HookResult } from "../../src/protocol/hook-response.ts";
import { piecesOf } from "../../src/protocol/json/read.ts";
import { type Payload, payloadSpan, payloadText } from "../../src/protocol/payload/payload.ts";
import type { HookProblem } from "../../src/protocol/problem.ts";
import { fail } from "../../src/protocol/result.ts";
import { nearest } from "../../src/protocol/text/nearest.ts";

type LocatedTool = Extract<LocatedEntry, { readonly scheme: "tool" }>;

/** A tool of an MCP server, as an entry names it. */
interface Tool {
  readonly entry: LocatedTool;
  readonly server: EntryServer;
  readonly name: string;
}

/** Calls a tool of an MCP server with the payload as arguments. Its result is read like the stdout of a hook. */
export async function invokeTool(
  hook: Hook,
  entry: LocatedTool,
  payload: Payload,
  context: InvokeContext,
): Promise<HookResult> {
  const tool: Tool = { entry, server: entry.server, name: parseToolName(entry.value).tool };
  const startedMs = monotonicMs();
  const leftMs = Math.max(1, remainingMs(context.deadline));
  const args = payloadText(payload, dialectFields(hook.dialect, payload, envelopeExtras(payload, context.isoTime)));
  const prepared = await context.prepare(hook, payload, entryFolder(entry));
  if (!prepared.ok) return notInvoked(prepared.error, true);
  const session = sessionFor(tool, hook, payload, { ...context, ...prepared.value });
  const { outcome, stderr, noise } = await session.callTool(tool.name, args, Math.min(hook.timeoutMs, leftMs));
  const stdout = new TextEncoder().encode(textOf(outcome));
  context.onOutput?.(stdout);
  const problem = problemOf(hook, tool, outcome, leftMs < hook.timeoutMs);
  const read = readResponse(hook, payload.event, stdout);
  const failed =
    problem === null ? null : outcome.kind === "failed" ? replyDespiteFailure(read, problem) : fail(problem);
  const isValue = failed === null && outcome.kind === "answered" && outcome.isValue;
  const response = failed ?? (isValue ? preserveNumbers(read, payload) : read);
  const durationMs = monotonicMs() - startedMs;
  const termination = outcome.kind === "ended" ? outcome.outcome.termination : null;
  return {
    response,
    wasNotInvoked: false,
    exitCode: termination?.kind === "exited" ? termination.exitCode : null,
    signal: termination?.kind === "signalled" ? termination.signal : null,
    durationMs,
    stderr,
    warnings: [
      ...(outcome.kind === "answered" ? slowWarnings(hook, durationMs) : []),
      ...(noise === null ? [] : [{ code: "SERVER_NOISE", hook: hook.name, line: noise } as const]),
      ...lostBlockWarnings(hook, response, stdout),
    ],
  };
}

/** The server that an earlier entry of this run started, or a new server if there is none or it has exited. */
function sessionFor(
  { entry, server }: Tool,
  hook: Hook,
  payload: Payload,
  { servers, interrupt, env, sandbox }: InvokeContext & PreparedStart,
): McpSession {
  // Entries with other grants must not share it.
  const key = `${entry.scope} ${server.name} ${JSON.stringify(hook.sandbox)}`;
  const open = servers.get(key);
  if (open !== undefined) return open;
  const opened = openMcpSession({
    file: server.command,
    args: server.args,
    cwd: entryFolder(entry),
    env,
    stdoutLimitBytes: outputLimit(hook, piecesOf(payloadSpan(payload))),
    interrupt,
    sandbox,
  });
  servers.set(key, opened);
  void opened.ended.then(() => servers.delete(key));
  return opened;
}

/** The text of a result. The text of a failure is read too, because a block in it applies. */
const textOf = (answer: ToolCallOutcome): string =>
  answer.kind === "answered" ? answer.text : answer.kind === "failed" ? answer.cause : "";

function problemOf(hook: Hook, tool: Tool, answer: ToolCallOutcome, byDeadline: boolean): HookProblem | null {
  if (answer.kind === "answered") return null;
  const at = problemAt(hook);
  const { entry, server, name } = tool;
  if (answer.kind === "failed") return { code: "HOOK_TOOL_FAILED", ...at, cause: answer.cause };
  if (answer.kind === "no-such-tool") {
    const near = nearest(name, answer.tools);
    return { code: "HOOK_NO_SUCH_TOOL", ...at, tool: name, server: server.name, nearest: near };
  }
  const { outcome } = answer;
  if (outcome.termination.kind === "not-started") {
    const { cause } = startFailure(server.command, outcome.termination.errno);
    const detail = `its MCP server ${server.command} in ${entryFolder(entry)}: ${cause}`;
    return { code: "HOOK_NOT_STARTED", ...at, cause: detail };
  }
  const silent = `the MCP server ${server.name} exited without a response`;
  return outcomeProblem(at, outcome, byDeadline) ?? { code: "HOOK_TOOL_FAILED", ...at, cause: silent };
}
