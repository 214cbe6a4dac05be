import type { EnvelopeExtras } from "../dialects/dialect.ts";
import { DIALECTS, dialectFields, filesToAsk } from "../dialects/dialects.ts";
import { mayHoldResponse } from "../dialects/response/read-response.ts";
import { type Checkout, readCheckout } from "../fs/git.ts";
import { outcomeProblem } from "../process/outcome-problem.ts";
import {
  type Deadline,
  type Interrupt,
  type ProcessOutcome,
  type ProcessSandbox,
  processRequest,
  remainingMs,
  TOKEN_VARIABLE,
} from "../process/process-request.ts";
import { runProcess } from "../process/run-process.ts";
import type { Hook } from "../protocol/hook.ts";
import type { HookResult } from "../protocol/hook-response.ts";
import { type JsonSpan, piecesOf } from "../protocol/json/read.ts";
import { type Payload, payloadSpan } from "../protocol/payload/payload.ts";
import type { HookProblem, ProblemHook } from "../protocol/problem.ts";
import { fail, ok, type Result } from "../protocol/result.ts";
import { sandboxText } from "../protocol/sandbox.ts";
import { decodeUtf8Lossy } from "../protocol/text/text.ts";
import type { Warning } from "../protocol/warning.ts";
import {
  failureSummary,
  lostBlockWarnings,
  notInvoked,
  outputLimit,
  replyDespiteFailure,
  slowWarnings,
} from "./hook-result.ts";
import type { McpSession } from "./mcp-session.ts";

/** What the invocations of one call have in common. */
export interface InvokeContext {
  /** The working directory of executable hooks. */
  readonly cwd: string;
  readonly isoTime: string;
  /** The deadline of the whole run. */
  readonly deadline: Deadline;
  readonly interrupt: Interrupt;
  /** For callers that show what a hook printed. */
  readonly onOutput?: (stdout: Uint8Array) => void;
  /** The MCP servers of this run. */
  readonly servers: McpServers;
  readonly prepare: PrepareStart;
}

/** Called right before each start in a folder: checks that the hook may still start. A problem prevents the start. */
export type PrepareStart = (hook: Hook, payload: Payload, cwd: string) => Promise<Result<PreparedStart, HookProblem>>;

export interface PreparedStart {
  readonly env: Readonly<Record<string, string>>;
  /** Null if the hook starts without a sandbox. */
  readonly sandbox: ProcessSandbox | null;
}

/**
 * The answer of `prepare`. The refusal comes first: the files of a hook that may not start are not read for its sandbox or
 * environment.
 */
export async function preparedStart(
  refusal: HookProblem | null,
  sandboxOf: () => Promise<Result<ProcessSandbox | null, HookProblem>>,
  envOf: () => PreparedStart["env"],
): Promise<Result<PreparedStart, HookProblem>> {
  if (refusal !== null) return fail(refusal);
  const sandbox = await sandboxOf();
  return sandbox.ok ? ok({ env: envOf(), sandbox: sandbox.value }) : sandbox;
}

/** The program to start, and how its stdout is read. */
export interface StartedProgram {
  readonly file: string;
  readonly args: readonly string[];
  /** The working directory; default: that of executable hooks. */
  readonly cwd?: string;
  /** Variables in addition to those of the hook. */
  readonly variables?: Readonly<Record<string, string>>;
  /** True if the program gets no variable of the hook except the token by which its processes are found. */
  readonly isBare?: true;
  readonly read: (stdout: Uint8Array) => HookResult["response"];
  /** How much it may print; by default as much as a response may hold. */
  readonly stdoutLimitBytes?: number;
  /** The value for stdin; default: the payload. */
  readonly inputOf?: (payload: JsonSpan) => JsonSpan;
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

/** One start of a program. */
export async function startProgram(
  hook: Hook,
  payload: Payload,
  context: InvokeContext,
  program: StartedProgram,
): Promise<HookResult> {
  const cwd = program.cwd ?? context.cwd;
  const prepared = await context.prepare(hook, payload, cwd);
  if (!prepared.ok) return notInvoked(prepared.error, true);
  const { env, sandbox } = prepared.value;
  const leftMs = Math.max(1, remainingMs(context.deadline));
  const sent = payloadSpan(payload, dialectFields(hook.dialect, payload, envelopeExtras(payload, context.isoTime)));
  const parts = piecesOf(sent);
  const request = processRequest({
    file: program.file,
    args: program.args,
    cwd,
    env: program.isBare ? { [TOKEN_VARIABLE]: env[TOKEN_VARIABLE] ?? "" } : { ...env, ...program.variables },
    interrupt: context.interrupt,
    input: program.inputOf === undefined ? parts : piecesOf(program.inputOf(sent)),
    timeoutMs: Math.min(hook.timeoutMs, leftMs),
    stdoutLimitBytes: program.stdoutLimitBytes ?? outputLimit(hook, parts),
    mayLeaveProcesses: hook.background,
    sandbox,
  });
  const outcome = await runProcess(request);
  context.onOutput?.(outcome.stdout);
  const problem = outcomeProblem(problemAt(hook), outcome, leftMs < hook.timeoutMs);
  const { termination, stdout, stderr, durationMs } = outcome;
  const own = ownResponse(hook, payload, outcome, program);
  const response = own ?? (problem === null ? program.read(stdout) : failedResponse(problem, outcome, program));
  return {
    response,
    wasNotInvoked: false,
    exitCode: termination.kind === "exited" ? termination.exitCode : null,
    signal: termination.kind === "signalled" ? termination.signal : null,
    ...(own === null && problem !== null && response.ok ? { failedWith: failureSummary(problem) } : {}),
    durationMs,
    stderr,
    warnings: [...warningsOf(hook, outcome), ...lostBlockWarnings(hook, response, stdout)],
  };
}

/** A hook in a problem, with what it was granted where it ran in a sandbox. */
export const problemAt = ({ name, path, sandbox }: Hook): ProblemHook => ({
  hook: name,
  path,
  ...(sandbox === undefined || sandbox.backend === null ? {} : { sandbox: sandboxText(sandbox) }),
});

/** The response that the hook's dialect reads from an exit code; null: the rules of all hooks apply. */
function ownResponse(
  hook: Hook,
  { event }: Payload,
  { termination, stdout, stderr }: ProcessOutcome,
  { read }: StartedProgram,
) {
  const { readExit } = DIALECTS[hook.dialect];
  if (readExit === undefined || !hasSpoken(termination)) return null;
  const { text, isUtf8 } = decodeUtf8Lossy(stdout);
  const exitCode = termination.kind === "exited" ? termination.exitCode : null;
  const isPlainText = () => isUtf8 && !mayHoldResponse(text);
  return readExit({ exitCode, stdout: text, stderr, isPlainText }, event, () => read(stdout));
}

/** The response of a failed hook: only a block is used, also a block printed before a timeout. */
const failedResponse = (
  problem: HookProblem,
  { termination, stdout }: ProcessOutcome,
  { read }: StartedProgram,
): HookResult["response"] => (hasSpoken(termination) ? replyDespiteFailure(read(stdout), problem) : fail(problem));

/** True if the hook was started and not interrupted. */
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

/** The MCP servers that a run has started, by scope and name. */
type McpServers = Map<string, McpSession>;

/** Closes the MCP servers of a run when it ends, because nothing may outlive the response. */
export async function withMcpServers<T>(work: (servers: McpServers) => Promise<T>): Promise<T> {
  const servers: McpServers = new Map();
  try {
    return await work(servers);
  } finally {
    if (servers.size > 0) await Promise.all([...servers.values()].map((server) => server.close()));
  }
}

/** Values that a dialect may add to the payload. Git's files are read at most once, and only for a dialect that uses them. */
export function envelopeExtras({ cwd }: Pick<Payload, "cwd">, isoTime: string): EnvelopeExtras {
  let checkout: Checkout | null = null;
  return {
    isoTime,
    checkout: () => {
      checkout ??= readCheckout(cwd);
      return checkout;
    },
  };
}
