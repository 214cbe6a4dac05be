import { resolve } from "node:path";
import { sampleIn } from "../dialects/dialect-sample.ts";
import { addedFor } from "../dialects/dialects.ts";
import { placedIn } from "../dialects/field-aliases.ts";
import type { FoundCandidates } from "../discover/find-candidates.ts";
import { matchesHookArgument } from "../discover/hook-argument.ts";
import type { CreatedContext } from "../engine/create-context.ts";
import { findAllCandidates } from "../engine/hooks/find-all.ts";
import { type HookSet, resolveHooks } from "../engine/hooks/resolve-hooks.ts";
import { callDepth, DEPTH_LIMIT, type RunContext } from "../engine/run-context.ts";
import { envelopeExtras } from "../invoke/envelope-extras.ts";
import { closeInheritedOnFirstStart } from "../process/descriptors.ts";
import type { EventName } from "../protocol/event.ts";
import { EXIT, signalExitCode } from "../protocol/exit-code.ts";
import type { Hook } from "../protocol/hook.ts";
import { jsonText, writeJson } from "../protocol/json/write.ts";
import { unknownHook } from "../protocol/nearest.ts";
import { payloadText, readPayload } from "../protocol/payload.ts";
import type { Problem, UsageProblem } from "../protocol/problem.ts";
import { fail, ok, type Result } from "../protocol/result.ts";
import { type Placed, readPlaced, withValue } from "../protocol/sample.ts";
import { tryText } from "../report/try-text.ts";
import type { World } from "../world.ts";
import type { RawLine } from "./flag-table.ts";
import { type Flags, isSwitchedOff, readFlags } from "./flags.ts";
import type { RunFlags } from "./run-flags.ts";
import { runHooks } from "./run-hooks.ts";
import { createRunContext, print, refuse } from "./start.ts";

interface TryFlags extends Flags {
  readonly name: string;
  readonly set: readonly Placed[];
}

/** One hook, asked with a sample of its first event and explained; the result and exit codes are those of `run`. */
export async function tryHook(line: RawLine, world: World): Promise<number> {
  const flags = readTryFlags(line);
  if (!flags.ok) return refuse(flags.error, world);
  const isOff = isSwitchedOff(flags.value, world);
  const depth = callDepth(world.env);
  if (!isOff && depth >= DEPTH_LIMIT) return refuse({ code: "RECURSION", depth }, world);
  const started = await createRunContext({ ...flags.value, only: null }, world, !isOff);
  if (!started.ok) return refuse(started.error, world);
  const named = foundByName(flags.value.name, started.value.context);
  if (!named.ok) return refuseNamed(named.error, world);
  if (isOff) return print(`${unaskedAnswer(flags.value)}\n`, world);
  closeInheritedOnFirstStart();
  const hookSet = await resolveHooks(named.value, started.value.context, null);
  const signal = world.interrupt.raised();
  if (signal !== null) return signalExitCode(signal);
  const namesakes = hookSet.hooks.filter((hook) =>
    matchesHookArgument(flags.value.name, hook, started.value.context.cwd),
  );
  const hook = namesakes.find(({ hindrance }) => hindrance === null) ?? namesakes[0];
  if (hook === undefined) return refuse(unknownHook(flags.value.name, []), world);
  if (hook.hindrance !== null) return refuseNamed(hook.hindrance, world);
  return tryWith(hook, { flags: flags.value, world, found: named.value, hookSet, ...started.value });
}

/** No record of a run: which event it would have been is not known of a hook that was not asked. */
const unaskedAnswer = ({ json, name }: TryFlags): string =>
  writeJson(json ? { schema: "hookctl.try/1", name, asked: false, decision: "continue", result: {} } : {});

function readTryFlags(line: RawLine): Result<TryFlags, UsageProblem> {
  const flags = readFlags(line);
  if (!flags.ok) return flags;
  const [name = "", ...values] = line.words;
  const set = readPlaced(values);
  if (set.ok) return ok({ ...flags.value, name, set: set.value });
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
async function refuseNamed(problem: Problem, world: World): Promise<number> {
  const exitCode = await refuse(problem, world);
  if (problem.code.startsWith("HOOK_REFUSED_")) return EXIT.notApproved;
  return problem.code.startsWith("HOOK_") ? EXIT.checkFailed : exitCode;
}

interface Trial extends CreatedContext {
  readonly flags: TryFlags;
  readonly world: World;
  readonly found: FoundCandidates;
  readonly hookSet: HookSet;
}

async function tryWith(first: Hook, { flags, world, found, hookSet, context, loaded }: Trial): Promise<number> {
  const [event] = first.events;
  if (event === undefined) return refuse(unknownHook(flags.name, []), world);
  const cwd = resolve(world.cwd, flags.directory ?? ".");
  const named = { event, dialect: first.dialect };
  const sample = flags.set.map(placedIn(named)).reduce(withValue, sampleIn(named, cwd));
  const payload = readPayload(event, jsonText(sample), cwd);
  if (!payload.ok) return refuse(payload.error, world);
  const settled = hasLimitFor(event, context) ? await resolveHooks(found, context, event) : hookSet;
  const hooks = settled.hooks.filter(({ path }) => path === first.path);
  const moment = envelopeExtras(payload.value, new Date(context.nowMs).toISOString());
  const sent = payloadText(payload.value, addedFor(first.dialect, payload.value, moment));
  return runHooks({
    payload: payload.value,
    hookSet: { ...hookSet, hooks },
    // A trial is not something that happened: it leaves no line in the record.
    context: { ...context, settings: { ...context.settings, record: "off" } },
    loaded,
    flags: asRun(flags, event),
    world,
    story: (run, style) => tryText({ run, payload: sent }, style),
  });
}

/** A limit that belongs to an event could not be settled before the event was known. */
const hasLimitFor = (event: EventName, { settings: { user, projects } }: RunContext): boolean =>
  [user, ...projects].some(({ eventTimeoutsMs }) => event in eventTimeoutsMs);

const asRun = (flags: Flags, event: EventName): RunFlags => ({
  ...flags,
  event,
  typedIn: "kodelet",
  only: null,
  dryRun: false,
  isStrict: false,
  payloadFile: null,
  stdinTimeoutMs: 0,
  as: "kodelet",
  isOff: false,
  ask: false,
});
