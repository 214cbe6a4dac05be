import { type CommandResult, print } from "../../cli/output.ts";
import { readPayloadText } from "../../cli/read-payload.ts";
import type { RunOptions } from "../../cli/run-options.ts";
import { emptyAnswer } from "../../dialects/no-action.ts";
import { CANNOT_RUN, type FoundCandidates } from "../../discover/find-candidates.ts";
import { cannotMatch, findAllCandidates } from "../../engine/hooks/candidates.ts";
import type { HookSet } from "../../engine/hooks/resolve-hooks.ts";
import { unmatchedOverrides } from "../../engine/hooks/selection.ts";
import { resetTurnLimitOnUserMessage } from "../../engine/run/session.ts";
import { callDepth, createRunContext, DEPTH_LIMIT, fallbackFolder, type RunContext } from "../../engine/run-context.ts";
import type { EffectiveSettings } from "../../engine/settings/effective-settings.ts";
import type { Host } from "../../host.ts";
import { closeInheritedOnFirstStart } from "../../process/descriptors.ts";
import { signalExitCode } from "../../protocol/exit-code.ts";
import { appliesTo } from "../../protocol/hook.ts";
import { printableJson } from "../../protocol/json/write.ts";
import { isFailedToolCall, PAYLOAD_LIMIT_BYTES, type Payload, readPayload } from "../../protocol/payload.ts";
import { fail, ok } from "../../protocol/result.ts";
import { PLAIN_STYLE } from "../../report/style.ts";
import { hasKnownHooks } from "../../trust/store/known-hooks.ts";

/**
 * One payload through the chain: the result on stdout, the story on stderr, 2 when it must not go on (SPEC 2).
 * What only hooks need is loaded when there are some; a call without hooks ends here.
 */
export async function run(options: RunOptions, host: Host): Promise<CommandResult> {
  if (options.isOff) return answerUnasked(options, host);
  const depth = callDepth(host.env);
  if (depth >= DEPTH_LIMIT) return fail({ code: "RECURSION", depth });
  const text = await readPayloadText(options, host);
  if (!text.ok) return typeof text.error === "string" ? ok(signalExitCode(text.error)) : fail(text.error);
  const payload = readPayload(options.event, text.value, host.cwd, await envelopeReader(text.value, options));
  if (!payload.ok) return payload;
  const directory = options.directory ?? fallbackFolder(host);
  const started = await createRunContext({ ...options, directory }, host, true);
  if (!started.ok) return started;

  const { loaded } = started.value;
  const found = findAllCandidates(started.value.context);
  const isAsking = options.ask || started.value.context.settings.onUntrusted === "ask";
  const context = isAsking
    ? await contextAfterPrompt(found, options, started.value.context, host)
    : started.value.context;
  const signal = isAsking ? host.interrupt.raised() : null;
  if (signal !== null) return ok(signalExitCode(signal));
  if (isEmpty(found, payload.value, context) && isPlain(options) && hasNothingToTell(found.warnings, context, loaded)) {
    return endUnasked(payload.value, options, context, host);
  }
  closeInheritedOnFirstStart();
  const { resolveHooks } = await import("../../engine/hooks/resolve-hooks.ts");
  const hookSet = await resolveHooks(found, context, options.event);
  if (
    (await nobodyHasATurn(hookSet, payload.value)) &&
    options.only === null &&
    isPlain(options) &&
    hasNothingToTell([...hookSet.warnings, ...hookSet.notices], context, loaded)
  ) {
    return endUnasked(payload.value, options, context, host);
  }
  const { runHooks } = await import("./run-hooks.ts");
  return runHooks({ payload: payload.value, hookSet, options, host, loaded, context });
}

/** What nobody has approved is asked about before anything is started. */
async function contextAfterPrompt(
  found: FoundCandidates,
  options: RunOptions,
  context: RunContext,
  host: Host,
): Promise<RunContext> {
  const asked = await (await import("../trust/approve-before-run.ts")).approveBeforeRun(found, options, context, host);
  // A person's time is not the hooks'.
  return { ...asked, beganMs: host.elapsedMs() };
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
  context.scopes.folders.some(context.trustStore.mayHaveApprovalsIn);

/** Is every hook for another event, switched off, or of a match that does not fit? Then no answer can change. */
async function nobodyHasATurn({ hooks }: HookSet, payload: Payload): Promise<boolean> {
  const { isSurelySkipped } = await import("../../chain/skip-reason.ts");
  const isTold =
    isFailedToolCall(payload) &&
    hooks.some(({ events, disabledReason }) => disabledReason === null && events.includes("on_error"));
  return !isTold && hooks.every((hook) => !appliesTo(hook, payload.event) || isSurelySkipped(hook, payload));
}

/** Another dialect's envelope is known by a key of its own, or by the event's name; only such a call pays for the dialects. */
async function envelopeReader(text: string, { nameDialect }: RunOptions) {
  if (nameDialect === "kodelet" && !MARKS.test(text)) return undefined;
  return (await import("../../dialects/dialects.ts")).envelopeReader(nameDialect);
}

const MARKS = /"(?:hook|ctx|hook_event_name|hookEventName)"/;

/** Nothing is started and the answer is "no action". What the caller still writes is read, so that it is not cut off. */
async function answerUnasked(options: RunOptions, host: Host): Promise<CommandResult> {
  if (!host.isStdinTerminal())
    await host.readStdin({
      bytes: PAYLOAD_LIMIT_BYTES,
      firstByteMs: options.stdinTimeoutMs,
      endMs: options.deadlineMs,
    });
  if (isPlain(options) && options.noHooks) return printNoAction(options, host);
  const payload: Payload = { event: options.event, session: "", cwd: host.cwd, members: new Map() };
  const { reportNoHooksRun } = await import("./run-hooks.ts");
  return reportNoHooksRun(payload, options, host);
}

/** No hook listens; but when a person has spoken, the loop valve of the session opens again. */
async function endUnasked(
  payload: Payload,
  options: RunOptions,
  context: RunContext,
  host: Host,
): Promise<CommandResult> {
  const warnings = await resetTurnLimitOnUserMessage(payload, context);
  if (warnings.length > 0 && !options.quiet) {
    const { warningText } = await import("../../protocol/warning.ts");
    const { warningLine } = await import("../../report/problem-text.ts");
    for (const warning of warnings) host.err(warningLine(warningText(warning), PLAIN_STYLE));
  }
  return printNoAction(options, host);
}

/** The plain result of a run without hooks needs no record, no dialect and no words. */
const isPlain = (options: RunOptions): boolean => !options.json && options.as === "kodelet";

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

const printNoAction = ({ event }: RunOptions, host: Host): CommandResult =>
  print(`${printableJson(emptyAnswer(event))}\n`, host);
