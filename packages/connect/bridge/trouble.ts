import { createRedactor } from "../../../src/audit/redact.ts";
import { startChain, verdictOf } from "../../../src/chain/advance.ts";
import { textAt } from "../../../src/dialects/field-paths.ts";
import { findAllCandidates } from "../../../src/engine/hooks/candidates.ts";
import { resolveHooks } from "../../../src/engine/hooks/resolve-hooks.ts";
import type { Host } from "../../../src/engine/host.ts";
import { couldBlock } from "../../../src/engine/run/run-event.ts";
import { appendRun, explainableId, makeRunRecord } from "../../../src/engine/run/run-record.ts";
import { callDepth, DEPTH_LIMIT, deadlineOf, type RunContext } from "../../../src/engine/run-context.ts";
import { followLinks } from "../../../src/fs/paths.ts";
import { isOutOfResources } from "../../../src/process/outcome-problem.ts";
import { remainingMs } from "../../../src/process/process-request.ts";
import { EXIT } from "../../../src/protocol/exit-code.ts";
import { JSON_DEPTH, membersOf, readJson } from "../../../src/protocol/json/read.ts";
import { type JsonRecord, printableJson } from "../../../src/protocol/json/write.ts";
import type { Payload } from "../../../src/protocol/payload/payload.ts";
import type { Problem } from "../../../src/protocol/problem.ts";
import { explain } from "../../../src/protocol/problem-messages/explain.ts";
import type { RunRecord } from "../../../src/protocol/run-record.ts";
import { type Warning, warningText } from "../../../src/protocol/warning.ts";
import { problemText } from "../../../src/report/problem-text.ts";
import { PLAIN_STYLE } from "../../../src/report/text-style.ts";
import { type Agent, blockFormat, type NativeEvent } from "../../agents/agent.ts";
import { type BridgeOptions, createBridgeContext } from "./agent-call.ts";
import { sealPlaceIn } from "./seal-watch.ts";

/** Warnings that settings, approvals or the project may be incomplete. */
const TROUBLING = ["NO_HOME", "TRUST_STORE_UNUSABLE", "PLACE_REFUSED", "USER_SETTINGS_LOST"] as const;
type TroublingWarning = Extract<Warning, { readonly code: (typeof TROUBLING)[number] }>;

/** A reason why an answer cannot be relied on. With `--fail-closed` each of them blocks the call. */
type Trouble = Problem | TroublingWarning;

const isTroubling = (trouble: { readonly code: string }): trouble is TroublingWarning =>
  TROUBLING.some((code) => code === trouble.code);

/** The first trouble of a call before its hooks run, or null. Every kind is checked here, so that all are answered the same way. */
export function troubleOf(
  [problem]: readonly Problem[],
  warnings: readonly Warning[],
  missingFolder: string | null,
  context: RunContext,
): Trouble | null {
  if (problem !== undefined) return problem;
  const warning = warnings.find(isTroubling);
  if (warning !== undefined) return warning;
  if (missingFolder !== null) return projectMissing(missingFolder);
  const { deadlineMs } = context.settings;
  return deadlineMs !== null && remainingMs(deadlineOf(context)) <= 0 ? { code: "DEADLINE_PASSED", deadlineMs } : null;
}

export const projectMissing = (path: string): Problem => ({
  code: "PROJECT_MISSING",
  path,
  cause: "there is no such folder",
});

/** A hook that could not be started because the system was out of resources: it might have blocked. */
export function notStartedTrouble(records: readonly RunRecord[]): Trouble | null {
  const problems = records
    .flatMap(({ verdict }) => verdict.steps)
    .flatMap(({ result }) => (result === null || result.response.ok ? [] : [result.response.error]));
  return problems.find((problem) => problem.code === "HOOK_NOT_STARTED" && isOutOfResources(problem.cause)) ?? null;
}

/** The event to answer, and whether to block it. */
interface TroubleTarget {
  /** Null if the event is unknown. */
  readonly row: NativeEvent | null;
  /** Block if the event can be blocked: `--fail-closed`, or a guard may not have run. */
  readonly isClosed: boolean;
  /** With a context a block is recorded in the audit log. */
  readonly context: RunContext | null;
  /** The call, if it is known. */
  readonly payload?: Payload;
  /** Also tells the person, where the agent has a message for that: the reason of a block is for the model. */
  readonly isTold?: boolean;
}

/** Blocks if `isClosed` is set and the event can be blocked; otherwise notifies the user. */
export function answerTrouble(trouble: Trouble, target: TroubleTarget, host: Host): number {
  const { row, isClosed, context, isTold = false } = target;
  const { notify } = row?.answers ?? {};
  const block = blockFormat(row?.answers ?? {});
  const isBlocked = isClosed && (row === null || block !== undefined);
  const runId = isBlocked && context !== null ? recordBlock(trouble, target, context) : null;
  const text = isTroubling(trouble) ? `✖ ${warningText(trouble)}\n` : problemText(trouble, PLAIN_STYLE);
  host.err(text);
  const reason = `hookctl: ${text.trim()}${runId === null ? "" : ` (hookctl why ${runId})`}`;
  if (isClosed && row === null) return EXIT.blocked;
  if (isClosed && block !== undefined)
    return printAnswer({ ...(isTold ? notify?.(reason) : {}), ...block(reason) }, true, host);
  return notify === undefined ? EXIT.ok : printAnswer(notify(reason), false, host);
}

/** Records a block, with a reason that begins with the code. Returns the id of the run, if `hookctl why` can find it. */
function recordBlock(trouble: Trouble, { row, payload }: TroubleTarget, context: RunContext): string | null {
  // If the event is unknown: most blocks are about a tool call.
  const event = row?.raises[0]?.event ?? "before_tool_call";
  const nothing = startChain(payload ?? { event, session: "", cwd: context.cwd, members: new Map() });
  const words = isTroubling(trouble) ? warningText(trouble) : explain(trouble).summary;
  const verdict = { ...verdictOf(nothing), decision: "block" as const, reason: `${trouble.code}: ${words}` };
  const durationMs = context.elapsedMs() - context.beganMs;
  const run = makeRunRecord({ verdict, runId: context.runId, durationMs, redact: createRedactor(context.env) });
  return explainableId(run, appendRun(run, context), context);
}

/** Prints one JSON object, or nothing. If a required answer reaches nobody, the exit code blocks. */
export function printAnswer(answer: JsonRecord, mustArrive: boolean, host: Host): number {
  if (Object.keys(answer).length === 0) return EXIT.ok;
  const writeError = host.out(`${printableJson(answer)}\n`);
  return mustArrive && (writeError !== null || host.isStdoutNull()) ? EXIT.blocked : EXIT.ok;
}

/**
 * Answers a signal at once while hooks still run, because the caller may not wait. Returns a function for the exit code
 * after that answer; null if none was printed.
 */
export function watchSignals(row: NativeEvent, mayBlock: () => boolean, host: Host): () => number | null {
  const block = blockFormat(row.answers);
  let exitCode: number | null = null;
  host.interrupt.listen((signal) => {
    if (exitCode !== null || block === undefined || !mayBlock()) return;
    const text = problemText({ code: "INTERRUPTED", signal }, PLAIN_STYLE);
    exitCode = printAnswer(block(`hookctl: ${text.trim()}`), true, host);
    host.err(text);
  });
  return () => exitCode;
}

/** The agent and the possible events of an unreadable payload. */
interface Unreadable {
  readonly agent: Agent;
  /** Null if the event is unknown or not supported. */
  readonly row: NativeEvent | null;
  /** The possible events. */
  readonly rows: readonly NativeEvent[];
}

/** Blocks if a hook could have blocked the call, with or without `--fail-closed`; otherwise only reports. */
export async function answerUnreadable(
  problem: Problem,
  { agent, row, rows }: Unreadable,
  options: BridgeOptions,
  host: Host,
): Promise<number> {
  const isPerson = problem.code === "PAYLOAD_MISSING" && problem.why === "terminal";
  const deniable = isPerson ? [] : rows.filter(({ answers }) => answers.deny !== undefined);
  const [first] = deniable;
  const isTooDeep = callDepth(host.env) >= DEPTH_LIMIT;
  const isStartable = first !== undefined && !isTooDeep;
  const started = isStartable ? await createBridgeContext({ agent, row: first }, options, host) : null;
  const context = started?.ok ? started.value.context : null;
  const isGuarded = context === null ? first !== undefined && isTooDeep : await couldBlockAny(deniable, context);
  return answerTrouble(problem, { row, isClosed: options.failClosed || isGuarded, context }, host);
}

async function couldBlockAny(rows: readonly NativeEvent[], context: RunContext): Promise<boolean> {
  const found = findAllCandidates(context);
  for (const event of new Set(rows.flatMap(({ raises }) => raises.map((raised) => raised.event)))) {
    if (couldBlock(event, await resolveHooks(found, context, event), context)) return true;
  }
  return false;
}

/** Keeps a change of the agent's settings out of its session if hooks are weaker with it. */
export async function answerSettingsChange(
  bytes: Buffer,
  row: NativeEvent,
  options: BridgeOptions,
  host: Host,
): Promise<number> {
  const read = readJson(bytes, JSON_DEPTH);
  const file = read.ok ? textAt(membersOf(read.value), "file_path") : "";
  const { agent } = options;
  const started = await createBridgeContext({ agent, row }, options, host);
  if (!started.ok) return EXIT.ok;
  const { changesOf } = await import("../install/seal/check-seal.ts");
  const place = sealPlaceIn(started.value.context);
  const changes = changesOf(file === "" ? null : followLinks(file), agent.name, place);
  if (changes.length === 0) return EXIT.ok;
  host.err(problemText({ code: "PROTECTION_WEAKENED", changes, isRestored: false }, PLAIN_STYLE));
  return EXIT.blocked;
}
