import { resolve } from "node:path";
import { type CommonOptions, hooksAreOff, readCommonOptions } from "../../cli/common-options.ts";
import type { CommandLine } from "../../cli/option-table.ts";
import { print, refuse } from "../../cli/output.ts";
import type { RunOptions } from "../../cli/run-options.ts";
import { dialectSample } from "../../dialects/dialect-sample.ts";
import { dialectFields } from "../../dialects/dialects.ts";
import { resolveFieldAlias } from "../../dialects/field-aliases.ts";
import type { FoundCandidates } from "../../discover/find-candidates.ts";
import { matchesHookArgument } from "../../discover/hook-argument.ts";
import { findAllCandidates } from "../../engine/hooks/candidates.ts";
import { type HookSet, resolveHooks } from "../../engine/hooks/resolve-hooks.ts";
import {
  type CreatedContext,
  callDepth,
  createRunContext,
  DEPTH_LIMIT,
  type RunContext,
} from "../../engine/run-context.ts";
import type { Host } from "../../host.ts";
import { envelopeExtras } from "../../invoke/invoke-context.ts";
import { closeInheritedOnFirstStart } from "../../process/descriptors.ts";
import type { EventName } from "../../protocol/event.ts";
import { EXIT, signalExitCode } from "../../protocol/exit-code.ts";
import type { Hook } from "../../protocol/hook.ts";
import { jsonText, printableJson } from "../../protocol/json/write.ts";
import { unknownHook } from "../../protocol/nearest.ts";
import { payloadText, readPayload } from "../../protocol/payload.ts";
import type { Problem, UsageProblem } from "../../protocol/problem.ts";
import { fail, ok, type Result } from "../../protocol/result.ts";
import { type PathValue, parsePathValues, withValue } from "../../protocol/sample.ts";
import { tryText } from "../../report/try-text.ts";
import { runHooks } from "./run-hooks.ts";

interface TryFlags extends CommonOptions {
  readonly name: string;
  readonly set: readonly PathValue[];
}

/** One hook, asked with a sample of its first event and explained; the result and exit codes are those of `run`. */
export async function tryHook(line: CommandLine, host: Host): Promise<number> {
  const options = readTryFlags(line);
  if (!options.ok) return refuse(options.error, host);
  const isOff = hooksAreOff(options.value, host);
  const depth = callDepth(host.env);
  if (!isOff && depth >= DEPTH_LIMIT) return refuse({ code: "RECURSION", depth }, host);
  const started = await createRunContext({ ...options.value, only: null }, host, !isOff);
  if (!started.ok) return refuse(started.error, host);
  const named = foundByName(options.value.name, started.value.context);
  if (!named.ok) return refuseNamed(named.error, host);
  if (isOff) return print(`${unaskedAnswer(options.value)}\n`, host);
  closeInheritedOnFirstStart();
  const hookSet = await resolveHooks(named.value, started.value.context, null);
  const signal = host.interrupt.raised();
  if (signal !== null) return signalExitCode(signal);
  const namesakes = hookSet.hooks.filter((hook) =>
    matchesHookArgument(options.value.name, hook, started.value.context.cwd),
  );
  const hook = namesakes.find(({ refusal }) => refusal === null) ?? namesakes[0];
  if (hook === undefined) return refuse(unknownHook(options.value.name, []), host);
  if (hook.refusal !== null) return refuseNamed(hook.refusal, host);
  return tryWith(hook, { options: options.value, host, found: named.value, hookSet, ...started.value });
}

/** No record of a run: which event it would have been is not known of a hook that was not asked. */
const unaskedAnswer = ({ json, name }: TryFlags): string =>
  printableJson(json ? { schema: "hookctl.try/1", name, asked: false, decision: "continue", result: {} } : {});

function readTryFlags(line: CommandLine): Result<TryFlags, UsageProblem> {
  const options = readCommonOptions(line);
  if (!options.ok) return options;
  const [name = "", ...values] = line.args;
  const set = parsePathValues(values);
  if (set.ok) return ok({ ...options.value, name, set: set.value });
  return fail({ code: "USAGE_WRONG_WORDS", detail: `"${set.error}" is no path=value.`, tryThis: EXAMPLE });
}

const EXAMPLE = 'hookctl try NAME tool_input.command="ls -la"';

/** The files of this name alone: no other hook is asked, not even for its event. */
function foundByName(name: string, context: RunContext): Result<FoundCandidates, Problem> {
  const all = findAllCandidates(context);
  const candidates = all.candidates.filter((candidate) => matchesHookArgument(name, candidate, context.cwd));
  const entry = all.skipped.find((skip) => matchesHookArgument(name, skip, context.cwd));
  // An approval by digest is one of all files together.
  if (candidates.length > 0) return ok(context.env.HOOKCTL_TRUST ? all : { ...all, candidates, skipped: [] });
  if (entry !== undefined) return fail({ code: "HOOK_NOT_STARTED", hook: name, path: entry.path, cause: entry.detail });
  const names = all.candidates.map((candidate) => candidate.name);
  return fail(unknownHook(name, names));
}

/** A hook that may not be started waits for an approval; one that cannot be, or does not say its event, has failed. */
async function refuseNamed(problem: Problem, host: Host): Promise<number> {
  const exitCode = await refuse(problem, host);
  if (problem.code.startsWith("HOOK_REFUSED_")) return EXIT.notApproved;
  return problem.code.startsWith("HOOK_") ? EXIT.checkFailed : exitCode;
}

interface Trial extends CreatedContext {
  readonly options: TryFlags;
  readonly host: Host;
  readonly found: FoundCandidates;
  readonly hookSet: HookSet;
}

async function tryWith(first: Hook, { options, host, found, hookSet, context, loaded }: Trial): Promise<number> {
  const [event] = first.events;
  if (event === undefined) return refuse(unknownHook(options.name, []), host);
  const cwd = resolve(host.cwd, options.directory ?? ".");
  const named = { event, dialect: first.dialect };
  const sample = options.set.map(resolveFieldAlias(named)).reduce(withValue, dialectSample(named, cwd));
  const payload = readPayload(event, jsonText(sample), cwd);
  if (!payload.ok) return refuse(payload.error, host);
  const settled = hasLimitFor(event, context) ? await resolveHooks(found, context, event) : hookSet;
  const hooks = settled.hooks.filter(({ path }) => path === first.path);
  const moment = envelopeExtras(payload.value, new Date(context.nowMs).toISOString());
  const sent = payloadText(payload.value, dialectFields(first.dialect, payload.value, moment));
  return runHooks({
    payload: payload.value,
    hookSet: { ...hookSet, hooks },
    // A trial is not something that happened: it leaves no line in the record.
    context: { ...context, settings: { ...context.settings, record: "off" } },
    loaded,
    options: asRun(options, event),
    host,
    report: (run, style) => tryText({ run, payload: sent }, style),
  });
}

/** A limit that belongs to an event could not be settled before the event was known. */
const hasLimitFor = (event: EventName, { settings: { user, projects } }: RunContext): boolean =>
  [user, ...projects].some(({ eventTimeoutsMs }) => event in eventTimeoutsMs);

const asRun = (options: CommonOptions, event: EventName): RunOptions => ({
  ...options,
  event,
  nameDialect: "kodelet",
  only: null,
  dryRun: false,
  isStrict: false,
  payloadFile: null,
  stdinTimeoutMs: 0,
  as: "kodelet",
  isOff: false,
  ask: false,
});
