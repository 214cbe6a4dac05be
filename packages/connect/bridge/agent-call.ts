import { isAbsolute } from "node:path";
import type { CommandLine, OptionsOf } from "../../../src/cli/command-table.ts";
import { textAt } from "../../../src/dialects/field-paths.ts";
import { createRunContext, fallbackFolder } from "../../../src/engine/create-run-context.ts";
import { skippedByVariable } from "../../../src/engine/hooks/select-hooks.ts";
import type { Host } from "../../../src/engine/host.ts";
import { areHooksDisabled } from "../../../src/engine/run-context.ts";
import { mayBeFolder } from "../../../src/fs/paths.ts";
import { type JsonObject, membersOf } from "../../../src/protocol/json/read.ts";
import type { JsonSource } from "../../../src/protocol/json/scan.ts";
import { type Payload, readPayloadJson } from "../../../src/protocol/payload/payload.ts";
import type { PayloadProblem, Problem, UsageProblem } from "../../../src/protocol/problem.ts";
import { fail, ok, type Result } from "../../../src/protocol/result.ts";
import { type Agent, blockFormat, deadlineOf, type NativeEvent } from "../../agents/agent.ts";
import { readAgent } from "../../agents/agent-argument.ts";
import { BORROWERS } from "../../agents/borrowers.ts";
import { loadAgent } from "../../agents/load-agent.ts";
import { canonicalFields, type RaisedPayload, raisedPayload } from "../../agents/native-payload.ts";

export interface BridgeOptions extends OptionsOf<"bridge"> {
  readonly agent: Agent;
  /** Variables that would switch hooks off, and have no effect here. */
  readonly ignoredVariables: readonly string[];
}

export async function readBridgeOptions(
  line: CommandLine<"bridge">,
  env: Host["env"],
): Promise<Result<BridgeOptions, UsageProblem>> {
  const name = readAgent(line);
  if (!name.ok) return name;
  const agent = await loadAgent(name.value);
  if (line.options.nativeEvent === null && agent.omitsEventName === true) {
    const detail = `bridge: missing --event: ${agent.name} payloads do not name their event.`;
    const tryThis = `hookctl bridge ${agent.name} --event ${agent.sampleShellCall.event}`;
    return fail({ code: "USAGE_WRONG_WORDS", detail, tryThis });
  }
  const ignoredVariables = [
    ...(areHooksDisabled(env) ? ["HOOKCTL_NO_HOOKS"] : []),
    ...(skippedByVariable(env).length > 0 ? ["HOOKCTL_SKIP"] : []),
    ...(env.HOOKCTL_TRUST ? ["HOOKCTL_TRUST"] : []),
  ];
  return ok({ ...line.options, agent, ignoredVariables });
}

/** A payload as an agent sent it, and the agent's name of its event. */
interface NativeCall {
  readonly agent: Agent;
  readonly nativeEvent: string;
  readonly native: JsonObject;
}

/** An agent's payload, parsed, with the events that it raises in hookctl. */
export interface AgentCall extends NativeCall {
  readonly row: NativeEvent;
  /** The events that it raises; the first is the main one. */
  readonly payloads: readonly [Payload, ...Payload[]];
  /** Invalid fields of the main event. */
  readonly problems: readonly PayloadProblem[];
  /** The other events, whose payload is invalid: no hook runs for them. */
  readonly invalidRaised: readonly RaisedPayload[];
}

/** Reads a payload. The call is null if there is nothing to do, because the event is not supported. */
export async function parseCall(
  source: JsonSource,
  options: BridgeOptions,
  host: Host,
): Promise<Result<AgentCall | null, Problem>> {
  const read = readPayloadJson(source);
  if (!read.ok) return read;
  const span = read.value;
  if (span.kind !== "object") return fail({ code: "PAYLOAD_NOT_OBJECT", found: span.kind });
  const native = membersOf(span);
  const nativeCall = await callingAgent(native, options, host);
  const { agent, nativeEvent } = nativeCall;
  const row = rowOf(agent, nativeEvent);
  const [main, ...others] = (row?.raises ?? [])
    .filter(({ when }) => when?.(native) ?? true)
    .map((raised) => raisedPayload(raised.event, canonicalFields(agent, nativeEvent, raised, span), host.cwd))
    .filter((raised) => !isPromptOfAgent(raised));
  if (row === undefined || main === undefined) return ok(null);
  const { problems } = main;
  // An invalid event does not stop the others from being raised.
  const [first, ...further] = [main, ...others].flatMap(({ payload }) => payload ?? []);
  const isDenied = options.failClosed && blockFormat(row.answers) !== undefined;
  if (problems[0] !== undefined && (first === undefined || isDenied)) return fail(problems[0]);
  if (first === undefined) return ok(null);
  const invalidRaised = others.filter(({ payload }) => payload === null);
  return ok({ ...nativeCall, row, payloads: [first, ...further], problems, invalidRaised });
}

/** True for the prompt of a subagent: the main agent wrote it, not a person. */
const isPromptOfAgent = ({ event, payload }: RaisedPayload): boolean =>
  event === "user_message_send" && payload?.members.get("invoked_by")?.raw === '"subagent"';

export const rowOf = ({ events }: Agent, name: string): NativeEvent | undefined =>
  Object.hasOwn(events, name) ? events[name] : undefined;

/** The payload fields that can name the event. */
const EVENT_KEYS = ["hook_event_name", "hookEventName", "event"];

/**
 * The agent is the registered one, unless the call has the certain signs of a program that also runs its hooks. No call is
 * left to another registration: it cannot be known that the sender reads that registration too, and hooks that run twice are
 * better than a guard that does not run. The sender may have its own name for the registered event, and no other event: a
 * payload cannot turn a call into a call that no hook handles.
 */
async function callingAgent(native: JsonObject, options: BridgeOptions, { env }: Host): Promise<NativeCall> {
  const registered = options.nativeEvent ?? "";
  const raised = rowOf(options.agent, registered)?.raises[0]?.event;
  const names = [...EVENT_KEYS.map((key) => textAt(native, key)), registered];
  const eventIn = (agent: Agent): string | undefined =>
    names.find((name) => {
      const row = rowOf(agent, name);
      return row !== undefined && (raised === undefined || row.raises[0]?.event === raised);
    });
  const sender = BORROWERS.find(({ from, isSender }) => from.includes(options.agent.name) && isSender(native, env));
  const borrower = sender === undefined ? options.agent : await sender.load();
  const nativeEvent = eventIn(borrower);
  if (nativeEvent !== undefined) return { agent: borrower, nativeEvent, native };
  return { agent: options.agent, nativeEvent: eventIn(options.agent) ?? registered, native };
}

/** The context of a call, in the folder that the command line or the agent names. */
export function createBridgeContext(call: Pick<AgentCall, "agent" | "row">, options: BridgeOptions, host: Host) {
  const directory = projectFolder(call, options, host) ?? fallbackFolder(host);
  const agentDeadlineMs = deadlineOf(call.row);
  const deadlineMs = options.deadlineMs ?? agentDeadlineMs;
  return createRunContext(
    { ...options, agent: options.agent.name, directory, deadlineMs, agentDeadlineMs },
    host,
    true,
  );
}

/** The project's folder, if the command line or the agent's variable names it. */
export function projectFolder({ agent }: Pick<AgentCall, "agent">, options: BridgeOptions, { env }: Host) {
  const named = agent.projectVariable === null ? undefined : env[agent.projectVariable];
  if (options.directory !== null || named === undefined || !isAbsolute(named)) return options.directory;
  return mayBeFolder(named) ? named : null;
}
