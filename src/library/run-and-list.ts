import { newRunId } from "../audit/run-id.ts";
import { startChain, verdictOf } from "../chain/advance.ts";
import { DIALECTS, envelopeReader } from "../dialects/dialects.ts";
import { type CreatedContext, createRunContext } from "../engine/create-run-context.ts";
import { findAllCandidates } from "../engine/hooks/candidates.ts";
import { type HookSet, resolveHooks } from "../engine/hooks/resolve-hooks.ts";
import { type ListFilter, listHooks, unknownHookOption } from "../engine/hooks/select-hooks.ts";
import { runEvent } from "../engine/run/run-event.ts";
import { appendRun, makeRunRecord } from "../engine/run/run-record.ts";
import {
  areHooksDisabled,
  callDepth,
  DEPTH_LIMIT,
  type EngineHost,
  type EngineOptions,
} from "../engine/run-context.ts";
import { unusedDigest } from "../engine/trust-statuses.ts";
import { findMachineFolder } from "../fs/machine-folder.ts";
import { errorText } from "../invoke/function-outcome.ts";
import type { EventName, NamedEvent } from "../protocol/event.ts";
import { PAYLOAD_LIMIT_BYTES, type Payload, readPayload } from "../protocol/payload/payload.ts";
import type { Problem } from "../protocol/problem.ts";
import { fail, ok, type Result } from "../protocol/result.ts";
import type { RunRecord } from "../protocol/run-record.ts";
import { warningText } from "../protocol/warning.ts";
import { listJson } from "../report/list-json.ts";
import { runJson } from "../report/run/run-json.ts";

/** Why a run is no yes; `ran` is its text, if its hooks ran all the same. */
export type RunProblem = Problem & { readonly ran?: string };

/** Runs the hooks of one event and returns the text of `run --json`. A failure of a hook is part of that text. */
export async function runToJsonText(
  named: NamedEvent,
  payload: unknown,
  requested: EngineOptions,
  host: EngineHost,
): Promise<Result<string, Problem>> {
  const text = payloadTextOf(payload);
  if (!text.ok) return text;
  const read = readPayload(named.event, text.value, host.cwd, envelopeReader(named.dialect));
  if (!read.ok) return read;
  const prepared = await prepareRun(named.event, requested, host);
  return prepared.ok ? runPrepared(read.value, prepared.value, host) : prepared;
}

/** The current hooks, settings and trust, for one run or for several that begin together; null: all hooks are off. */
export type PreparedRun = (CreatedContext & { readonly hookSet: HookSet }) | null;

export async function prepareRun(
  event: EventName,
  requested: EngineOptions,
  host: EngineHost,
): Promise<Result<PreparedRun, Problem>> {
  const isOff = areHooksDisabled(host.env);
  if (isOff && findMachineFolder() === null) return ok(null);
  const started = await startEngine({ ...requested, isOff }, host);
  if (!started.ok) return started;
  const { context } = started.value;
  const hookSet = await resolveHooks(findAllCandidates(context), context, event);
  const unknown = unknownHookOption(requested, hookSet);
  return unknown === null ? ok({ ...started.value, hookSet }) : fail(unknown);
}

/** The same for a run to which the time of the preparation does not count. */
export const preparedBefore = (prepared: PreparedRun): PreparedRun =>
  prepared === null ? null : { ...prepared, hookSet: { ...prepared.hookSet, resolveMs: 0 } };

/** Runs one payload; data of a single run comes from its own host. */
export async function runPrepared(
  payload: Payload,
  prepared: PreparedRun,
  host: Pick<EngineHost, "nowMs" | "random" | "beganMs" | "interrupt">,
): Promise<Result<string, RunProblem>> {
  if (prepared === null) return ok(runJsonText(emptyRun(payload, host)));
  const { loaded, hookSet } = prepared;
  const { beganMs, interrupt } = host;
  const nowMs = host.nowMs();
  const context = { ...prepared.context, nowMs, beganMs, interrupt, runId: newRunId(nowMs, host.random) };
  const record = appendRun(await runEvent(payload, hookSet, context, loaded.warnings), context);
  // An interrupted run has no decision, even if its record contains one.
  if (interrupt.raised() !== null) return fail({ code: "USAGE_CLOSED" });
  const unusable = loaded.problem ?? unusedDigest(hookSet.warnings, context, false);
  // With unusable settings or approvals only a block counts: guards that they declare are missing from the run.
  const ran = runJsonText(record);
  return unusable !== null && record.verdict.decision === "continue" ? fail({ ...unusable, ran }) : ok(ran);
}

/** The hooks in run order, as the text of `list --json`. */
export async function listToJsonText(
  choice: ListFilter,
  requested: EngineOptions,
  host: EngineHost,
): Promise<Result<string, Problem>> {
  const started = await startEngine(requested, host);
  if (!started.ok) return started;
  const { context, loaded } = started.value;
  const [problem] = loaded.problems;
  if (problem !== undefined) return fail(problem);
  const hookSet = await resolveHooks(findAllCandidates(context), context, null);
  if (context.interrupt.raised() !== null) return fail({ code: "USAGE_CLOSED" });
  const warnings = [...loaded.warnings, ...hookSet.warnings, ...hookSet.notices].map(warningText);
  return ok(listJson({ ...hookSet, hooks: listHooks(hookSet, choice, context.settings), warnings }));
}

async function startEngine(requested: EngineOptions, host: EngineHost): Promise<Result<CreatedContext, Problem>> {
  if (host.interrupt.raised() !== null) return fail({ code: "USAGE_CLOSED" });
  const depth = callDepth(host.env);
  return depth >= DEPTH_LIMIT
    ? fail({ code: "RECURSION", depth })
    : createRunContext(requested, host, requested.isOff === true || !areHooksDisabled(host.env));
}

/** Text is passed on unchanged, so that its numbers keep their digits; other values are converted to JSON. */
function payloadTextOf(payload: unknown): Result<string, Problem> {
  const text = typeof payload === "string" ? ok(payload) : stringify(payload);
  if (!text.ok || Buffer.byteLength(text.value) <= PAYLOAD_LIMIT_BYTES) return text;
  return fail({ code: "PAYLOAD_TOO_LARGE", limitBytes: PAYLOAD_LIMIT_BYTES });
}

function stringify(payload: unknown): Result<string, Problem> {
  try {
    const text: string | undefined = JSON.stringify(payload);
    if (text !== undefined) return ok(text);
    return fail({ code: "PAYLOAD_NOT_JSON", line: 1, detail: `${typeof payload} is not a JSON value` });
  } catch (error) {
    return fail({ code: "PAYLOAD_NOT_JSON", line: 1, detail: errorText(error) });
  }
}

const runJsonText = (record: RunRecord): string => runJson(record, DIALECTS.kodelet.formatVerdict(record.verdict));

function emptyRun(payload: Payload, { nowMs, random }: Pick<EngineHost, "nowMs" | "random">): RunRecord {
  const verdict = verdictOf({ ...startChain(payload), warnings: [{ code: "HOOKS_OFF" }] });
  return makeRunRecord({ verdict, runId: newRunId(nowMs(), random), durationMs: 0, redact: (same) => same });
}
