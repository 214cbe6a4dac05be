import { withoutHookctlVariables } from "../../../src/cli/agent-variables.ts";
import { faultDetail, reportProblem } from "../../../src/cli/command-result.ts";
import type { CommandLine } from "../../../src/cli/command-table.ts";
import { readPayloadBytes } from "../../../src/cli/read-payload.ts";
import type { Host } from "../../../src/engine/host.ts";
import { EXIT, PROOF, signalExitCode } from "../../../src/protocol/exit-code.ts";
import { printableJson } from "../../../src/protocol/json/write.ts";
import type { Problem } from "../../../src/protocol/problem.ts";
import { shellQuote } from "../../../src/protocol/text/shell-quote.ts";
import { deadlineOf, type NativeEvent } from "../../agents/agent.ts";
import { type BridgeOptions, parseCall, readBridgeOptions, rowOf } from "../bridge/agent-call.ts";
import { answerCall, type PrepareCall, prepareCall } from "../bridge/answer-call.ts";

/**
 * Answers an agent's payload in the agent's format. The answer is JSON with exit code 0, which means the same to every
 * agent; a call without an answer prints nothing. See docs/agents.md.
 */
export async function bridge(
  line: CommandLine<"bridge">,
  host: Host,
  prepare: PrepareCall = prepareCall,
): Promise<number> {
  const exitCode = await answerAgent(line, host, prepare);
  if (!line.options.proof || exitCode !== EXIT.ok) return exitCode;
  return host.out(PROOF) === null ? EXIT.ok : EXIT.blocked;
}

async function answerAgent(line: CommandLine<"bridge">, around: Host, prepare: PrepareCall): Promise<number> {
  const { failClosed } = line.options;
  const options = await readBridgeOptions(line, around.env);
  if (!options.ok) {
    // The event is unknown: only the exit code has a meaning for every agent.
    const exitCode = await reportProblem(options.error, around);
    return failClosed ? EXIT.blocked : exitCode;
  }
  let hasAnswered = false;
  const out: Host["out"] = (text) => {
    hasAnswered = true;
    return around.out(text);
  };
  const host = { ...withoutHookctlVariables(around), out };
  try {
    return await answerInput(options.value, host, prepare);
  } catch (error) {
    if (!failClosed) throw error;
    // Two answers are none to an agent, so that the exit code blocks.
    if (hasAnswered) return EXIT.blocked;
    return notUnderstood({ code: "INTERNAL_FAULT", detail: faultDetail(error) }, options.value, host);
  }
}

async function answerInput(options: BridgeOptions, host: Host, prepare: PrepareCall): Promise<number> {
  const row = rowNamedIn(options);
  // Every agent allows a call after its own timeout, so that the answer has to come before.
  const deadlineMs = options.deadlineMs ?? deadlineOf(row ?? {});
  const source = { payloadFile: null, stdinTimeoutMs: 10_000, deadlineMs, event: "before_tool_call" };
  const input = await readPayloadBytes(source, host);
  if (input.kind === "problem") {
    const { problem } = input;
    const isMissing = problem.code === "PAYLOAD_MISSING";
    return unreadable(isMissing ? { ...problem, tryThis: sampleCall(options) } : problem, "", options, host);
  }
  if (input.kind === "interrupted") {
    const { signal } = input;
    return options.failClosed ? notUnderstood({ code: "INTERRUPTED", signal }, options, host) : signalExitCode(signal);
  }
  if (row?.isSettingsChange === true) {
    const { answerSettingsChange } = await import("../bridge/trouble.ts");
    return answerSettingsChange(input.bytes, row, options, host);
  }
  const call = await parseCall(input.bytes, options, host);
  if (!call.ok) return unreadable(call.error, input.bytes.toString(), options, host);
  return call.value === null ? EXIT.ok : answerCall(call.value, options, host, prepare);
}

/** A command that sends a sample payload of this agent. */
function sampleCall({ agent }: BridgeOptions): string {
  const { event, payload } = agent.sampleShellCall;
  return `printf '%s' ${shellQuote(printableJson(payload("ls")))} | hookctl bridge ${agent.name} --event ${event}`;
}

async function notUnderstood(problem: Problem, options: BridgeOptions, host: Host): Promise<number> {
  const { answerTrouble } = await import("../bridge/trouble.ts");
  return answerTrouble(problem, { row: rowNamedIn(options), isClosed: options.failClosed, context: null }, host);
}

/** An unreadable payload is blocked if a hook could have blocked the call; otherwise the user is notified. */
async function unreadable(problem: Problem, text: string, options: BridgeOptions, host: Host): Promise<number> {
  const { answerUnreadable } = await import("../bridge/trouble.ts");
  const { agent } = options;
  const named = options.nativeEvent ?? EVENT_NAMED.exec(text)?.[1] ?? null;
  const row = named === null ? undefined : rowOf(agent, named);
  // No hook handles an unsupported event. Without a name it can be any event.
  const rows = named === null ? Object.values(agent.events) : [row].filter((one) => one !== undefined);
  return answerUnreadable(problem, { agent, row: row ?? null, rows }, options, host);
}

/** Finds the event's name in a payload that is not valid JSON. */
const EVENT_NAMED = /"(?:hook_event_name|hookEventName)"\s*:\s*"([\w.]{1,64})"/;

/** The event in `--event`; null if the payload names it. */
const rowNamedIn = ({ agent, nativeEvent }: BridgeOptions): NativeEvent | null =>
  nativeEvent === null ? null : (rowOf(agent, nativeEvent) ?? null);
