import { noAction } from "../dialects/no-action.ts";
import { CANNOT_RUN, type FoundCandidates } from "../discover/find-candidates.ts";
import { cannotMatch } from "../engine/hooks/cannot-match.ts";
import { findAllCandidates } from "../engine/hooks/find-all.ts";
import type { HookSet } from "../engine/hooks/resolve-hooks.ts";
import { unmatchedOverrides } from "../engine/hooks/unmatched-overrides.ts";
import { resetTurnLimitOnUserMessage } from "../engine/run/reset-turn-limit.ts";
import { callDepth, DEPTH_LIMIT, type RunContext } from "../engine/run-context.ts";
import type { EffectiveSettings } from "../engine/settings/effective-settings.ts";
import { closeInheritedOnFirstStart } from "../process/descriptors.ts";
import { signalExitCode } from "../protocol/exit-code.ts";
import { concerns } from "../protocol/hook.ts";
import { writeJson } from "../protocol/json/write.ts";
import { isFailedCall, PAYLOAD_LIMIT_BYTES, type Payload, readPayload } from "../protocol/payload.ts";
import { PLAIN_STYLE } from "../report/style.ts";
import { hasKnownHooks } from "../trust/store/known-hooks.ts";
import { mayHaveApprovals } from "../trust/store/read-approvals.ts";
import type { World } from "../world.ts";
import { payloadInput } from "./read-payload.ts";
import type { RunFlags } from "./run-flags.ts";
import { createRunContext, fallbackFolder, print, refuse } from "./start.ts";

/**
 * One payload through the chain: the result on stdout, the story on stderr, 2 when it must not go on (SPEC 2).
 * What only hooks need is loaded when there are some; a call without hooks ends here.
 */
export async function run(flags: RunFlags, world: World): Promise<number> {
  if (flags.isOff) return answerUnasked(flags, world);
  const depth = callDepth(world.env);
  if (depth >= DEPTH_LIMIT) return refuse({ code: "RECURSION", depth }, world);
  const text = await payloadInput(flags, world);
  if (!text.ok) return typeof text.error === "string" ? signalExitCode(text.error) : refuse(text.error, world);
  const payload = readPayload(flags.event, text.value, world.cwd, await envelopeReader(text.value, flags));
  if (!payload.ok) return refuse(payload.error, world);
  const directory = flags.directory ?? fallbackFolder(world);
  const started = await createRunContext({ ...flags, directory }, world, true);
  if (!started.ok) return refuse(started.error, world);

  const { loaded } = started.value;
  const found = findAllCandidates(started.value.context);
  const isAsking = flags.ask || started.value.context.settings.onUntrusted === "ask";
  const context = isAsking
    ? await contextAfterPrompt(found, flags, started.value.context, world)
    : started.value.context;
  const signal = isAsking ? world.interrupt.raised() : null;
  if (signal !== null) return signalExitCode(signal);
  if (isEmpty(found, payload.value, context) && isPlain(flags) && hasNothingToTell(found.warnings, context, loaded)) {
    return endUnasked(payload.value, flags, context, world);
  }
  closeInheritedOnFirstStart();
  const { resolveHooks } = await import("../engine/hooks/resolve-hooks.ts");
  const hookSet = await resolveHooks(found, context, flags.event);
  if (
    (await nobodyHasATurn(hookSet, payload.value)) &&
    flags.only === null &&
    isPlain(flags) &&
    hasNothingToTell([...hookSet.warnings, ...hookSet.notices], context, loaded)
  ) {
    return endUnasked(payload.value, flags, context, world);
  }
  const { runHooks } = await import("./run-hooks.ts");
  return runHooks({ payload: payload.value, hookSet, flags, world, loaded, context });
}

/** What nobody has approved is asked about before anything is started. */
async function contextAfterPrompt(
  found: FoundCandidates,
  flags: RunFlags,
  context: RunContext,
  world: World,
): Promise<RunContext> {
  const asked = await (await import("./trust/approve-before-run.ts")).approveBeforeRun(found, flags, context, world);
  // A person's time is not the hooks'.
  return { ...asked, beganMs: world.elapsedMs() };
}

/** No hook can have a turn. A choice of the caller among the hooks must be held against all of their names first. */
function isEmpty({ candidates, unseen, skipped }: FoundCandidates, payload: Payload, context: RunContext): boolean {
  const { options, settings } = context;
  if (unseen.length > 0 || !candidates.every((candidate) => cannotMatch(candidate, payload, settings))) return false;
  if (skipped.some(({ reason }) => CANNOT_RUN.has(reason))) return false;
  const names = candidates.map((candidate) => candidate.name);
  const isChosen = names.length > 0 && (options.only !== null || options.skip.length > 0);
  // One of the user's own may be gone, the only one among them.
  if (hasKnownHooks(context.trustFile)) return false;
  return !isChosen && !isKnownToTrust(context) && unmatchedOverrides(names, settings).length === 0;
}

/**
 * May something have been approved here, or in a project above? Its hooks may be gone, and a guard must not vanish
 * unseen. The store is not taken apart for that: what was approved elsewhere must not cost a call without hooks.
 */
const isKnownToTrust = (context: RunContext): boolean =>
  (context.trustFile !== null || context.scopes.homeDir !== null) &&
  context.scopes.folders.some(mayHaveApprovals(context, context.userId));

/** Is every hook for another event, switched off, or of a match that does not fit? Then no answer can change. */
async function nobodyHasATurn({ hooks }: HookSet, payload: Payload): Promise<boolean> {
  const { hasNoTurn } = await import("../chain/skip-reason.ts");
  const isTold = isFailedCall(payload) && hooks.some(({ events, off }) => off === null && events.includes("on_error"));
  return !isTold && hooks.every((hook) => !concerns(hook, payload.event) || hasNoTurn(hook, payload));
}

/** Another dialect's envelope is known by a key of its own, or by the event's name; only such a call pays for the dialects. */
async function envelopeReader(text: string, { typedIn }: RunFlags) {
  if (typedIn === "kodelet" && !MARKS.test(text)) return undefined;
  return (await import("../dialects/dialects.ts")).envelopeNamedIn(typedIn);
}

const MARKS = /"(?:hook|ctx|hook_event_name|hookEventName)"/;

/** Nothing is started and the answer is "no action". What the caller still writes is read, so that it is not cut off. */
async function answerUnasked(flags: RunFlags, world: World): Promise<number> {
  if (!world.isStdinTerminal())
    await world.readStdin({ bytes: PAYLOAD_LIMIT_BYTES, firstByteMs: flags.stdinTimeoutMs, endMs: flags.deadlineMs });
  if (isPlain(flags) && flags.noHooks) return printNoAction(flags, world);
  const payload: Payload = { event: flags.event, session: "", cwd: world.cwd, members: new Map() };
  const { tellNothing } = await import("./run-hooks.ts");
  return tellNothing(payload, flags, world);
}

/** No hook listens; but when a person has spoken, the loop valve of the session opens again. */
async function endUnasked(payload: Payload, flags: RunFlags, context: RunContext, world: World): Promise<number> {
  const warnings = await resetTurnLimitOnUserMessage(payload, context);
  if (warnings.length > 0 && !flags.quiet) {
    const { warningText } = await import("../protocol/warning.ts");
    const { warningLine } = await import("../report/problem-text.ts");
    for (const warning of warnings) world.err(warningLine(warningText(warning), PLAIN_STYLE));
  }
  return printNoAction(flags, world);
}

/** The plain result of a run without hooks needs no record, no dialect and no words. */
const isPlain = (flags: RunFlags): boolean => !flags.json && flags.as === "kodelet";

function hasNothingToTell(
  warnings: readonly unknown[],
  { scopes, settings }: RunContext,
  loaded: EffectiveSettings,
): boolean {
  const isRequired = Object.values(settings.user.overrides).some((override) => override.required === true);
  return (
    warnings.length + loaded.warnings.length === 0 && loaded.problem === null && scopes.homeDir !== null && !isRequired
  );
}

const printNoAction = ({ event }: RunFlags, world: World): Promise<number> =>
  print(`${writeJson(noAction(event))}\n`, world);
