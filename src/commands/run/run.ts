import { type CommandResult, print } from "../../cli/command-result.ts";
import { readPayloadBytes } from "../../cli/read-payload.ts";
import type { FoundCandidates } from "../../discover/find-candidates.ts";
import { createRunContext, fallbackFolder } from "../../engine/create-run-context.ts";
import {
  concernsNoHook,
  findAllCandidates,
  hasNothingToReport,
  recordUnmatched,
  unmatchedCandidates,
} from "../../engine/hooks/candidates.ts";
import type { HookSet } from "../../engine/hooks/resolve-hooks.ts";
import type { Host } from "../../engine/host.ts";
import { resetTurnLimitOnUserMessage } from "../../engine/run/session-effects.ts";
import type { UnmatchedHook } from "../../engine/run/unmatched-run.ts";
import { callDepth, DEPTH_LIMIT } from "../../engine/run-context.ts";
import { findMachineFolder } from "../../fs/machine-folder.ts";
import { closeInheritedOnFirstStart } from "../../process/spawn-child.ts";
import { EVENT_ROWS } from "../../protocol/event.ts";
import { signalExitCode } from "../../protocol/exit-code.ts";
import { type JsonObject, membersOf } from "../../protocol/json/read.ts";
import { printableJson } from "../../protocol/json/write.ts";
import { PAYLOAD_LIMIT_BYTES, payloadOfValue, readPayloadJson } from "../../protocol/payload/payload.ts";
import { fail, ok } from "../../protocol/result.ts";
import { emptyAnswer } from "../../protocol/verdict.ts";
import type { RunCall } from "./run-hooks.ts";
import type { RunCommandOptions } from "./run-options.ts";

/** Runs one payload through the chain: the response on stdout, the report on stderr, exit code 2 for a block. */
export async function run(options: RunCommandOptions, host: Host): Promise<CommandResult> {
  if (options.isOff && findMachineFolder() === null) return answerWithoutHooks(options, host);
  const depth = callDepth(host.env);
  if (depth >= DEPTH_LIMIT) return fail({ code: "RECURSION", depth });
  const input = await readPayloadBytes(options, host);
  if (input.kind === "interrupted") return ok(signalExitCode(input.signal));
  if (input.kind === "problem") return fail(input.problem);
  const read = readPayloadJson(input.bytes);
  if (!read.ok) return fail({ ...read.error, event: options.event });
  const reader = await envelopeReader(membersOf(read.value), options);
  const payload = payloadOfValue(options.event, read.value, host.cwd, reader);
  if (!payload.ok) return payload;
  const directory = options.directory ?? fallbackFolder(host);
  const started = await createRunContext({ ...options, directory }, host, true);
  if (!started.ok) return started;

  const found = findAllCandidates(started.value.context);
  const call = await approvedFirst(found, { payload: payload.value, options, host, ...started.value });
  if (call.interruptedBy !== null) return ok(signalExitCode(call.interruptedBy));
  if (isPlain(options) && concernsNoHook(found, call)) return answerEarly(call, unmatchedCandidates(found, call));

  closeInheritedOnFirstStart();
  const { mayRunAny, resolveHooks, unmatchedHooks } = await import("../../engine/hooks/resolve-hooks.ts");
  const hookSet = await resolveHooks(found, call.context, options.event);
  if (!mayRunAny(hookSet, payload.value) && isQuiet(hookSet, call))
    return answerEarly(call, unmatchedHooks(hookSet, payload.value));
  const { runHooks } = await import("./run-hooks.ts");
  return runHooks({ ...call, hookSet });
}

/** Prompts for what is not approved before anything starts, if the caller or the settings ask for that. */
async function approvedFirst(
  found: FoundCandidates,
  call: RunCall,
): Promise<RunCall & { readonly interruptedBy: string | null }> {
  const { context, options, host } = call;
  if (!options.ask && context.settings.onUntrusted !== "ask") return { ...call, interruptedBy: null };
  const { approveBeforeRun } = await import("../trust/approve-before-run.ts");
  const approved = await approveBeforeRun(found, options, context, host);
  // The time that a person takes does not count against the deadline of the hooks.
  const restarted = { ...approved, beganMs: host.elapsedMs() };
  return { ...call, context: restarted, interruptedBy: host.interrupt.raised() };
}

/** Another dialect's envelope has a key of its own, or the event's name shows it; only such a call loads the dialects. */
async function envelopeReader(members: JsonObject, { nameDialect }: RunCommandOptions) {
  if (nameDialect === "kodelet" && !ENVELOPE_KEYS.some((key) => members.has(key))) return undefined;
  return (await import("../../dialects/dialects.ts")).envelopeReader(nameDialect);
}

const ENVELOPE_KEYS = ["hook", "ctx", "hook_event_name", "hookEventName"];

/** Hooks are off: the answer is "no action". stdin is read all the same, so that the caller's write does not fail. */
async function answerWithoutHooks(options: RunCommandOptions, host: Host): Promise<CommandResult> {
  const { event, stdinTimeoutMs, deadlineMs } = options;
  if (!host.isStdinTerminal())
    await host.readStdin({ bytes: PAYLOAD_LIMIT_BYTES, firstByteMs: stdinTimeoutMs, endMs: deadlineMs });
  if (options.noHooks && isPlain(options)) return printNoAction(options, host);
  const { reportNoHooksRun } = await import("./run-hooks.ts");
  return reportNoHooksRun({ event, session: "", cwd: host.cwd, members: new Map() }, options, host);
}

/** Answers "no action". A message of the user resets the session's turn limit also where no hook runs. */
async function answerEarly(call: RunCall, unmatched: readonly UnmatchedHook[]): Promise<CommandResult> {
  const { payload, options, context, host } = call;
  const lost = await recordUnmatched(unmatched, call);
  const warnings = [...(await resetTurnLimitOnUserMessage(payload, context)), ...lost];
  if (warnings.length > 0 && !options.quiet) {
    const { warningLines } = await import("../../report/warning-lines.ts");
    host.err(warningLines(warnings));
  }
  return printNoAction(options, host);
}

const printNoAction = ({ event }: RunCommandOptions, host: Host): CommandResult =>
  print(`${printableJson(emptyAnswer(EVENT_ROWS[event]))}\n`, host, true);

/** The plain output needs neither a run record nor a dialect, and the exit code no other checks. */
const isPlain = ({ json, as, isStrict }: RunCommandOptions): boolean => !json && !isStrict && as === "kodelet";

/** True if nothing about the hooks has to be reported. A pattern that no hook has is a mistake of the caller. */
const isQuiet = ({ warnings, notices }: HookSet, call: RunCall): boolean =>
  call.options.only === null && isPlain(call.options) && hasNothingToReport([...warnings, ...notices], call);
