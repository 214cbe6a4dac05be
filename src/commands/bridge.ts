import type { NativeEvent } from "../agents/agent.ts";
import { AGENTS } from "../agents/agents.ts";
import { deadlineOf } from "../agents/deadline.ts";
import { parseCall, rowOf } from "../bridge/agent-call.ts";
import { type BridgeOptions, readBridgeOptions } from "../cli/bridge-options.ts";
import type { CommandLine } from "../cli/command-table.ts";
import { faultDetail, reportProblem } from "../cli/output.ts";
import { readPayloadText } from "../cli/read-payload.ts";
import type { Host } from "../host.ts";
import { shellQuote } from "../protocol/command-line.ts";
import { EXIT, signalExitCode } from "../protocol/exit-code.ts";
import { printableJson } from "../protocol/json/write.ts";
import type { PayloadProblem, Problem } from "../protocol/problem.ts";

/**
 * The agent's own payload in, its own answer out. The answer is JSON at exit 0, because only that means the same to
 * every agent; a call that has no answer prints nothing (SPEC 13).
 */
export async function bridge(line: CommandLine<"bridge">, around: Host): Promise<number> {
  const options = readBridgeOptions(line);
  if (!options.ok) return failedBefore(options.error, line.options.failClosed, around);
  const host = withoutHookctlVariables(around);
  if (!options.value.failClosed) return answerInput(options.value, host);
  try {
    return await answerInput(options.value, host);
  } catch (error) {
    return notUnderstood({ code: "INTERNAL_FAULT", detail: faultDetail(error) }, options.value, host);
  }
}

async function answerInput(options: BridgeOptions, host: Host): Promise<number> {
  const row = rowNamedIn(options);
  // Every agent lets a call pass when its own limit is over, so that we must have answered before.
  const deadlineMs = options.deadlineMs ?? deadlineOf(row ?? { timeoutMs: null });
  const place = { payloadFile: null, stdinTimeoutMs: 10_000, deadlineMs, event: "before_tool_call" };
  const input = await readPayloadText(place, host);
  if (input.kind === "problem") return unreadable(withSample(input.problem, options), "", options, host);
  if (input.kind === "interrupted") {
    const { signal } = input;
    return options.failClosed ? notUnderstood({ code: "INTERRUPTED", signal }, options, host) : signalExitCode(signal);
  }
  const call = await parseCall(input.text, options, host);
  if (!call.ok) return unreadable(call.error, input.text, options, host);
  if (call.value === null) return EXIT.ok;
  const { answerCall } = await import("../bridge/answer-call.ts");
  return answerCall(call.value, options, host);
}

const withSample = (problem: PayloadProblem, options: BridgeOptions): PayloadProblem =>
  problem.code === "PAYLOAD_MISSING" ? { ...problem, tryThis: sampleCall(options) } : problem;

/** A payload of ours is none of the agent's: a shell call as it announces one. */
function sampleCall({ agent }: BridgeOptions): string {
  const { event, payload } = AGENTS[agent].sampleShellCall;
  return `printf '%s' ${shellQuote(printableJson(payload("ls")))} | hookctl bridge ${agent} --event ${event}`;
}

/** A project's agent settings can set variables: none of them may switch hooks off, approve them, or cut them short. */
function withoutHookctlVariables(host: Host): Host {
  const env = Object.fromEntries(Object.entries(host.env).filter(([name]) => !IGNORED_VARIABLES.includes(name)));
  return { ...host, env };
}

const IGNORED_VARIABLES = ["HOOKCTL_NO_HOOKS", "HOOKCTL_TRUST", "HOOKCTL_TIMEOUT", "HOOKCTL_DEADLINE"];

/** A line that was registered wrongly. Its exit code is all that every agent understands. */
async function failedBefore(problem: Problem, failClosed: boolean, host: Host): Promise<number> {
  const exitCode = await reportProblem(problem, host);
  return failClosed ? EXIT.blocked : exitCode;
}

async function notUnderstood(problem: Problem, options: BridgeOptions, host: Host): Promise<number> {
  const { answerTrouble } = await import("../bridge/trouble.ts");
  return answerTrouble(problem, { row: rowNamedIn(options), isClosed: options.failClosed }, host);
}

/** What cannot be read cannot be cleared: where a hook could block the call it is blocked, otherwise the person is told. */
async function unreadable(problem: Problem, text: string, options: BridgeOptions, host: Host): Promise<number> {
  const { answerUnreadable } = await import("../bridge/answer-unreadable.ts");
  const agent = AGENTS[options.agent];
  const named = options.nativeEvent ?? EVENT_NAMED.exec(text)?.[1] ?? null;
  const row = named === null ? undefined : rowOf(agent, named);
  // An event that has no row is put to no hook, whatever its payload; without any name it may be each of them.
  const rows = named === null ? Object.values(agent.events) : [row].filter((one) => one !== undefined);
  return answerUnreadable(problem, { agent, row: row ?? null, rows }, options, host);
}

/** The event in a payload that cannot be read otherwise. */
const EVENT_NAMED = /"(?:hook_event_name|hookEventName)"\s*:\s*"([\w.]{1,64})"/;

/** The event that the line names; null: the payload names it. */
const rowNamedIn = ({ agent, nativeEvent }: BridgeOptions): NativeEvent | null =>
  nativeEvent === null ? null : (rowOf(AGENTS[agent], nativeEvent) ?? null);
