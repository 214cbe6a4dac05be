import { resolve } from "node:path";
import { type CommandResult, print, reportProblem } from "../../../src/cli/command-result.ts";
import type { CommandLine, CommonOptions } from "../../../src/cli/command-table.ts";
import { runHooks } from "../../../src/commands/run/run-hooks.ts";
import type { RunCommandOptions } from "../../../src/commands/run/run-options.ts";
import { dialectFields } from "../../../src/dialects/dialects.ts";
import { sampleWithValues } from "../../../src/dialects/payload-paths.ts";
import { fullHookName, matchesHookArgument } from "../../../src/discover/candidate-names.ts";
import type { FoundCandidates } from "../../../src/discover/find-candidates.ts";
import { type CreatedContext, createRunContext } from "../../../src/engine/create-run-context.ts";
import { findAllCandidates } from "../../../src/engine/hooks/candidates.ts";
import { type HookSet, resolveHooks } from "../../../src/engine/hooks/resolve-hooks.ts";
import type { Host } from "../../../src/engine/host.ts";
import { callDepth, DEPTH_LIMIT, hooksAreOff, type RunContext } from "../../../src/engine/run-context.ts";
import { envelopeExtras } from "../../../src/invoke/invoke-executable.ts";
import { closeInheritedOnFirstStart } from "../../../src/process/spawn-child.ts";
import type { EventName } from "../../../src/protocol/event.ts";
import { EXIT, signalExitCode } from "../../../src/protocol/exit-code.ts";
import { type Hook, isTrustRefusal } from "../../../src/protocol/hook.ts";
import { jsonText, printableJson } from "../../../src/protocol/json/write.ts";
import { payloadText, readPayload } from "../../../src/protocol/payload/payload.ts";
import { type PathValue, parsePathValues } from "../../../src/protocol/payload/sample.ts";
import type { Problem } from "../../../src/protocol/problem.ts";
import { fail, ok, ProblemError, type Result, unwrap } from "../../../src/protocol/result.ts";
import { unknownHook } from "../../../src/protocol/text/nearest.ts";
import { tryText } from "../report/try-text.ts";

interface TryOptions extends CommonOptions {
  readonly name: string;
  readonly set: readonly PathValue[];
}

/** Invokes one hook with a sample payload of its first event and explains the result; exit codes as in `run`. */
export async function tryHook(line: CommandLine<"try">, host: Host): Promise<CommandResult> {
  const options = readTryOptions(line);
  const isOff = hooksAreOff(options, host);
  const depth = callDepth(host.env);
  if (!isOff && depth >= DEPTH_LIMIT) return fail({ code: "RECURSION", depth });
  const started = unwrap(await createRunContext({ ...options, only: null }, host, !isOff));
  const named = foundByName(options.name, started.context);
  if (!named.ok) return reportNamed(named.error, host);
  const { name, found } = named.value;
  if (isOff) return print(`${unaskedAnswer(options)}\n`, host);
  closeInheritedOnFirstStart();
  const hookSet = await resolveHooks(found, started.context, null);
  const signal = host.interrupt.raised();
  if (signal !== null) return ok(signalExitCode(signal));
  const namesakes = hookSet.hooks.filter((hook) => matchesHookArgument(name, hook, started.context.cwd));
  const hook = namesakes.find(({ refusal }) => refusal === null) ?? namesakes[0];
  if (hook === undefined) return fail(unknownHook(name, []));
  if (hook.refusal !== null) return reportNamed(hook.refusal, host);
  return tryWith(hook, { options, host, found, hookSet, ...started });
}

/** There is no run record, because the event of a hook that was not started is unknown. */
const unaskedAnswer = ({ json, name }: TryOptions): string =>
  printableJson(json ? { schema: "hookctl.try/1", name, asked: false, decision: "continue", result: {} } : {});

function readTryOptions(line: CommandLine<"try">): TryOptions {
  const { options } = line;
  const [name = "", ...values] = line.args;
  const set = parsePathValues(values);
  if (set.ok) return { ...options, name, set: set.value };
  const detail = `"${set.error}" is not PATH=VALUE.`;
  throw new ProblemError({ code: "USAGE_WRONG_WORDS", detail, tryThis: EXAMPLE });
}

const EXAMPLE = 'hookctl try NAME tool_input.command="ls -la"';

/** The hooks of this name alone: no other hook is started, not even for its event. */
function foundByName(
  word: string,
  context: RunContext,
): Result<{ readonly name: string; readonly found: FoundCandidates }, Problem> {
  const all = findAllCandidates(context);
  const guards = context.settings.guards.map((guard): string => guard.name);
  const names = [...all.candidates, ...all.skipped].map((one) => one.name);
  const name = fullHookName(word, [...names, ...guards]);
  const candidates = all.candidates.filter((candidate) => matchesHookArgument(name, candidate, context.cwd));
  const entry = all.skipped.find((skip) => matchesHookArgument(name, skip, context.cwd));
  // HOOKCTL_TRUST approves all files together.
  const found = context.env.HOOKCTL_TRUST ? all : { ...all, candidates, skipped: [] };
  if (candidates.length > 0) return ok({ name, found });
  if (entry !== undefined) return fail({ code: "HOOK_NOT_STARTED", hook: name, path: entry.path, cause: entry.detail });
  if (guards.includes(name)) return ok({ name, found: { ...all, candidates: [], skipped: [] } });
  return fail(unknownHook(name, [...all.candidates.map((candidate) => candidate.name), ...guards]));
}

/** A hook that is not approved exits with 77, one that cannot start or report its event with 1. */
async function reportNamed(problem: Problem, host: Host): Promise<CommandResult> {
  const exitCode = await reportProblem(problem, host);
  if (isTrustRefusal(problem)) return ok(EXIT.notApproved);
  return ok(problem.code.startsWith("HOOK_") ? EXIT.checkFailed : exitCode);
}

interface Trial extends CreatedContext {
  readonly options: TryOptions;
  readonly host: Host;
  readonly found: FoundCandidates;
  readonly hookSet: HookSet;
}

async function tryWith(first: Hook, { options, host, found, hookSet, context, loaded }: Trial): Promise<CommandResult> {
  const [event] = first.events;
  if (event === undefined) return fail(unknownHook(options.name, []));
  const cwd = resolve(host.cwd, options.directory ?? ".");
  const named = { event, dialect: first.dialect };
  const sample = unwrap(sampleWithValues(named, options.set, { cwd, match: first.match }));
  const payload = unwrap(readPayload(event, jsonText(sample), cwd));
  const settled = hasLimitFor(event, context) ? await resolveHooks(found, context, event) : hookSet;
  const hooks = settled.hooks.filter(({ path }) => path === first.path);
  const moment = envelopeExtras(payload, new Date(context.nowMs).toISOString());
  const sent = payloadText(payload, dialectFields(first.dialect, payload, moment));
  return runHooks({
    payload: payload,
    hookSet: { ...hookSet, hooks },
    // A trial is not a real event, so the audit log does not record it.
    context: { ...context, settings: { ...context.settings, record: "off" } },
    loaded,
    options: asRun(options, event),
    host,
    report: (run, style) => tryText({ run, payload: sent }, style),
  });
}

/** True if an event has its own timeout, which applies only once the event is known. */
const hasLimitFor = (event: EventName, { settings: { user, projects } }: RunContext): boolean =>
  [user, ...projects].some(({ eventTimeoutsMs }) => event in eventTimeoutsMs);

const asRun = (options: CommonOptions, event: EventName): RunCommandOptions => ({
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
