import { DIALECTS, dialectFields } from "../dialects/dialects.ts";
import { mayHoldResponse, readResponse } from "../dialects/read-response.ts";
import { outcomeProblem } from "../process/outcome-problem.ts";
import { type Interrupt, type ProcessOutcome, processRequest } from "../process/process-request.ts";
import { runProcess } from "../process/run-process.ts";
import type { Hook } from "../protocol/hook.ts";
import type { HookResult } from "../protocol/hook-response.ts";
import { type Payload, payloadText } from "../protocol/payload.ts";
import type { HookProblem } from "../protocol/problem.ts";
import { fail } from "../protocol/result.ts";
import { decodeUtf8Lossy } from "../protocol/text.ts";
import type { Warning } from "../protocol/warning.ts";
import { failureSummary, lostBlockWarnings, outputLimit, replyDespiteFailure, slowWarnings } from "./hook-result.ts";
import { envelopeExtras, type McpServers } from "./invoke-context.ts";

export interface InvokeContext {
  readonly environmentOf: (hook: Hook, payload: Payload) => Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly isoTime: string;
  /** What is left for the whole chain; infinite without a deadline. */
  readonly remainingMs: () => number;
  readonly interrupt: Interrupt;
  /** For who shows what a hook printed, and not only what it meant. */
  readonly onOutput?: (stdout: Uint8Array) => void;
  /** Asked right before each start; a problem keeps the hook from being started. */
  readonly recheckTrust: (hook: Hook) => HookProblem | null;
  /** The MCP servers of this run. */
  readonly servers: McpServers;
  /** Asks a hook that is a function; null where there is none, so that a command line does not load it. */
  readonly invokeFunction: ((hook: Hook, payload: Payload, context: InvokeContext) => Promise<HookResult>) | null;
}

/** What is started, and how its stdout is understood. */
export interface HookProgram {
  readonly file: string;
  readonly args: readonly string[];
  readonly read: (stdout: Uint8Array) => HookResult["response"];
  /** How much it may print; by default as much as a reply may hold. */
  readonly stdoutLimitBytes?: number;
  /** What it gets on stdin; by default the payload alone. */
  readonly inputOf?: (payload: string) => string;
}

/** Starts `<hook> run` with the payload on stdin and reads what it says (SPEC 5 and 6). */
export function invokeExecutable(hook: Hook, payload: Payload, context: InvokeContext): Promise<HookResult> {
  const read = (stdout: Uint8Array) => readResponse(hook, payload.event, stdout);
  return invokeProgram(hook, payload, context, { file: hook.path, args: ["run"], read });
}

/** Starts one program with the payload on stdin, within the limits of its hook. */
export async function invokeProgram(
  hook: Hook,
  payload: Payload,
  context: InvokeContext,
  program: HookProgram,
): Promise<HookResult> {
  const env = context.environmentOf(hook, payload);
  const remainingMs = Math.max(1, context.remainingMs());
  const text = payloadText(payload, dialectFields(hook.dialect, payload, envelopeExtras(payload, context.isoTime)));
  const request = processRequest({
    ...{ file: program.file, args: program.args, cwd: context.cwd, env, interrupt: context.interrupt },
    input: program.inputOf?.(text) ?? text,
    timeoutMs: Math.min(hook.timeoutMs, remainingMs),
    stdoutLimitBytes: program.stdoutLimitBytes ?? outputLimit(hook, text),
    mayLeaveProcesses: hook.background,
  });
  const outcome = await runProcess(request);
  context.onOutput?.(outcome.stdout);
  const problem = outcomeProblem({ hook: hook.name, path: hook.path }, outcome, remainingMs < hook.timeoutMs);
  const own = ownEnding(hook, payload, outcome, program);
  const reply = own ?? (problem === null ? program.read(outcome.stdout) : failedReply(problem, outcome, program));
  return {
    response: reply,
    wasNotInvoked: false,
    exitCode: outcome.termination.kind === "exited" ? outcome.termination.exitCode : null,
    signal: outcome.termination.kind === "signalled" ? outcome.termination.signal : null,
    ...(own === null && problem !== null && reply.ok ? { failedWith: failureSummary(problem) } : {}),
    durationMs: outcome.durationMs,
    stderr: outcome.stderr,
    warnings: [...warningsOf(hook, outcome), ...lostBlockWarnings(hook, reply, outcome.stdout)],
  };
}

/** What an end means in the hook's own dialect; null: what it means for every hook. */
function ownEnding(
  hook: Hook,
  { event }: Payload,
  { termination, stdout, stderr }: ProcessOutcome,
  { read }: HookProgram,
) {
  const means = DIALECTS[hook.dialect].readExit;
  if (means === undefined || !hasSpoken(termination)) return null;
  const { text, isUtf8 } = decodeUtf8Lossy(stdout);
  const exitCode = termination.kind === "exited" ? termination.exitCode : null;
  const isPlainText = () => isUtf8 && !mayHoldResponse(text);
  return means({ exitCode, stdout: text, stderr, isPlainText }, event, () => read(stdout));
}

/** It failed, and only a block counts. A response that it printed before its timeout is as good as any other. */
const failedReply = (
  problem: HookProblem,
  { termination, stdout }: ProcessOutcome,
  { read }: HookProgram,
): HookResult["response"] => (hasSpoken(termination) ? replyDespiteFailure(read(stdout), problem) : fail(problem));

/** It was started, and nobody wanted it to end. */
const hasSpoken = ({ kind }: ProcessOutcome["termination"]): boolean =>
  kind !== "not-started" && kind !== "interrupted";

function warningsOf(hook: Hook, outcome: ProcessOutcome): readonly Warning[] {
  const { termination, killedDescendants, durationMs } = outcome;
  if (termination.kind !== "exited" && termination.kind !== "signalled") return [];
  const slow = slowWarnings(hook, durationMs);
  return killedDescendants === 0
    ? slow
    : [...slow, { code: "LEFTOVERS_ENDED", hook: hook.name, count: killedDescendants }];
}
