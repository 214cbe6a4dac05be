import { newRunId } from "../../../src/audit/run-stamp.ts";
import { startChain, verdictOf } from "../../../src/chain/advance.ts";
import { DIALECTS, envelopeReader } from "../../../src/dialects/dialects.ts";
import { type CreatedContext, createRunContext } from "../../../src/engine/create-run-context.ts";
import { findAllCandidates } from "../../../src/engine/hooks/candidates.ts";
import { type HookSet, resolveHooks } from "../../../src/engine/hooks/resolve-hooks.ts";
import { type ListFilter, listHooks, unknownHookOption } from "../../../src/engine/hooks/select-hooks.ts";
import { runEvent } from "../../../src/engine/run/run-event.ts";
import { appendRun, makeRunRecord } from "../../../src/engine/run/run-record.ts";
import {
  areHooksDisabled,
  callDepth,
  DEPTH_LIMIT,
  type EngineHost,
  type EngineOptions,
} from "../../../src/engine/run-context.ts";
import { unusedDigest } from "../../../src/engine/trust-statuses.ts";
import { findMachineFolder } from "../../../src/fs/machine-folder.ts";
import type { EventName, NamedEvent } from "../../../src/protocol/event.ts";
import { PAYLOAD_LIMIT_BYTES, type Payload, readPayload } from "../../../src/protocol/payload/payload.ts";
import type { Problem } from "../../../src/protocol/problem.ts";
import { ProblemError, unwrap } from "../../../src/protocol/result.ts";
import type { RunRecord } from "../../../src/protocol/run-record.ts";
import { warningText } from "../../../src/protocol/warning.ts";
import { listJson } from "../../../src/report/list-json.ts";
import { runJson } from "../../../src/report/run/run-json.ts";
import { errorText } from "./return-value.ts";

/** Why a run gives no permission; `ran` is its text, if its hooks ran nevertheless. */
export type RunProblem = Problem & { readonly ran?: string };

/** Runs the hooks of one event and returns the text of `run --json`. A failure of a hook is part of that text. */
export async function runToJsonText(
  named: NamedEvent,
  payload: unknown,
  requested: EngineOptions,
  host: EngineHost,
): Promise<string> {
  const text = payloadTextOf(payload);
  const read = unwrap(readPayload(named.event, text, host.cwd, envelopeReader(named.dialect)));
  return runPrepared(read, await prepareRun(named.event, requested, host), host);
}

/** The current hooks, settings and trust, for one run or for several that begin together. Null if hooks are disabled. */
export type PreparedRun = (CreatedContext & { readonly hookSet: HookSet }) | null;

export async function prepareRun(event: EventName, requested: EngineOptions, host: EngineHost): Promise<PreparedRun> {
  const isOff = areHooksDisabled(host.env);
  if (isOff && findMachineFolder() === null) return null;
  const started = await startEngine({ ...requested, isOff }, host);
  const hookSet = await resolveHooks(findAllCandidates(started.context), started.context, event);
  const unknown = unknownHookOption(requested, hookSet);
  if (unknown !== null) throw new ProblemError(unknown);
  return { ...started, hookSet };
}

/** The same for a run whose duration does not include the preparation. */
export const preparedBefore = (prepared: PreparedRun): PreparedRun =>
  prepared === null ? null : { ...prepared, hookSet: { ...prepared.hookSet, resolveMs: 0 } };

/** Runs one payload; data of a single run comes from `host`. Throws a `RunProblem` in a `ProblemError`. */
export async function runPrepared(
  payload: Payload,
  prepared: PreparedRun,
  host: Pick<EngineHost, "nowMs" | "random" | "beganMs" | "interrupt">,
): Promise<string> {
  if (prepared === null) return runJsonText(emptyRun(payload, host));
  const { loaded, hookSet } = prepared;
  const { beganMs, interrupt } = host;
  const nowMs = host.nowMs();
  const context = { ...prepared.context, nowMs, beganMs, interrupt, runId: newRunId(nowMs, host.random) };
  const record = appendRun(await runEvent(payload, hookSet, context, loaded.warnings), context);
  // An interrupted run has no decision, even if its record contains one.
  if (interrupt.raised() !== null) throw closed();
  const unusable = loaded.problem ?? unusedDigest(hookSet.warnings, context, false);
  const ran = runJsonText(record);
  if (unusable === null || record.verdict.decision !== "continue") return ran;
  // With unusable settings or approvals only a block is an answer: guards that they declare are missing from the run.
  const problem: RunProblem = { ...unusable, ran };
  throw new ProblemError(problem);
}

/** A service replaces it by the problem that names what interrupted the request. */
export const closed = (): ProblemError => new ProblemError({ code: "USAGE_CLOSED" });

/** The hooks in run order, as the text of `list --json`. */
export async function listToJsonText(choice: ListFilter, requested: EngineOptions, host: EngineHost): Promise<string> {
  const { context, loaded } = await startEngine(requested, host);
  const [problem] = loaded.problems;
  if (problem !== undefined) throw new ProblemError(problem);
  const hookSet = await resolveHooks(findAllCandidates(context), context, null);
  if (context.interrupt.raised() !== null) throw closed();
  const warnings = [...loaded.warnings, ...hookSet.warnings, ...hookSet.notices].map(warningText);
  return listJson({ ...hookSet, hooks: listHooks(hookSet, choice, context.settings), warnings });
}

async function startEngine(requested: EngineOptions, host: EngineHost): Promise<CreatedContext> {
  if (host.interrupt.raised() !== null) throw closed();
  const depth = callDepth(host.env);
  if (depth >= DEPTH_LIMIT) throw new ProblemError({ code: "RECURSION", depth });
  return unwrap(await createRunContext(requested, host, requested.isOff === true || !areHooksDisabled(host.env)));
}

/** Text is passed on unchanged, so that its numbers keep their digits; other values are converted to JSON. */
function payloadTextOf(payload: unknown): string {
  const text = typeof payload === "string" ? payload : stringify(payload);
  if (Buffer.byteLength(text) <= PAYLOAD_LIMIT_BYTES) return text;
  throw new ProblemError({ code: "PAYLOAD_TOO_LARGE", limitBytes: PAYLOAD_LIMIT_BYTES });
}

function stringify(payload: unknown): string {
  let text: string | undefined;
  let detail = `${typeof payload} is not a JSON value`;
  try {
    text = JSON.stringify(payload);
  } catch (error) {
    detail = errorText(error);
  }
  if (text !== undefined) return text;
  throw new ProblemError({ code: "PAYLOAD_NOT_JSON", line: 1, detail });
}

const runJsonText = (record: RunRecord): string => runJson(record, DIALECTS.kodelet.formatVerdict(record.verdict));

function emptyRun(payload: Payload, { nowMs, random }: Pick<EngineHost, "nowMs" | "random">): RunRecord {
  const verdict = verdictOf({ ...startChain(payload), warnings: [{ code: "HOOKS_OFF" }] });
  return makeRunRecord({ verdict, runId: newRunId(nowMs(), random), durationMs: 0, redact: (same) => same });
}
