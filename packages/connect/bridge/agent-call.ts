import { textAt } from "../../../src/dialects/field-paths.ts";
import type { Host } from "../../../src/engine/host.ts";
import { faultText, JSON_DEPTH, type JsonObject, readWithMembers } from "../../../src/protocol/json/read.ts";
import type { Payload } from "../../../src/protocol/payload/payload.ts";
import type { PayloadProblem, Problem } from "../../../src/protocol/problem.ts";
import { fail, ok, type Result } from "../../../src/protocol/result.ts";
import type { Agent, NativeEvent } from "../../agents/agent.ts";
import { blockFormat } from "../../agents/agent.ts";
import { BORROWERS } from "../../agents/borrowers.ts";
import { canonicalFields, type RaisedPayload, raisedPayload } from "../../agents/native-payload.ts";
import type { BridgeOptions } from "./bridge-options.ts";

/** An agent's payload, parsed, with the events that it raises in hookctl. */
export interface AgentCall {
  readonly agent: Agent;
  readonly nativeEvent: string;
  readonly row: NativeEvent;
  readonly native: NativeCall["native"];
  /** The events that it raises; the first is the main one. */
  readonly payloads: readonly [Payload, ...Payload[]];
  /** Invalid fields of the main event. */
  readonly problems: readonly PayloadProblem[];
  /** The other events, whose payload is invalid: no hook runs for them. */
  readonly invalidRaised: readonly RaisedPayload[];
}

/** The payload fields that can name the event. */
const EVENT_KEYS = ["hook_event_name", "hookEventName", "event"];

/** Null if there is nothing to do: the event is not supported. */
export async function parseCall(
  text: string,
  options: BridgeOptions,
  host: Host,
): Promise<Result<AgentCall | null, Problem>> {
  const read = readWithMembers(text, JSON_DEPTH);
  if (!read.ok) return fail({ code: "PAYLOAD_NOT_JSON", line: read.error.line, detail: faultText(read.error) });
  const { span, members: native } = read.value;
  if (native === null) return fail({ code: "PAYLOAD_NOT_OBJECT", found: span.kind });
  const nativeCall = await callingAgent(native, options, host);
  const row = rowOf(nativeCall.agent, nativeCall.nativeEvent);
  if (row === undefined) return ok(null);
  const raised = row.raises
    .filter(({ when }) => when?.(native) ?? true)
    .map((one) => {
      const fields = canonicalFields(nativeCall.agent, nativeCall.nativeEvent, one, span);
      return raisedPayload(one.event, fields, host.cwd);
    })
    .filter((one) => !isPromptOfAgent(one));
  return callOf({ ...nativeCall, row }, raised, options.failClosed);
}

/** True for the prompt of a subagent: the main agent wrote it, not a person. */
const isPromptOfAgent = ({ event, payload }: RaisedPayload): boolean =>
  event === "user_message_send" && payload?.members.get("invoked_by")?.raw === '"subagent"';

/** An invalid event does not stop the others from being raised. */
function callOf(
  call: NativeCall & Pick<AgentCall, "row">,
  [main, ...others]: readonly RaisedPayload[],
  failClosed: boolean,
): Result<AgentCall | null, Problem> {
  if (main === undefined) return ok(null);
  const { problems } = main;
  const [first, ...further] = [main, ...others].flatMap(({ payload }) => payload ?? []);
  const isDenied = failClosed && blockFormat(call.row.answers) !== undefined;
  if (problems[0] !== undefined && (first === undefined || isDenied)) return fail(problems[0]);
  if (first === undefined) return ok(null);
  const invalidRaised = others.filter(({ payload }) => payload === null);
  return ok({ ...call, payloads: [first, ...further], problems, invalidRaised });
}

export const rowOf = ({ events }: Agent, name: string): NativeEvent | undefined =>
  Object.hasOwn(events, name) ? events[name] : undefined;

/** A payload as an agent sent it, and the agent's name of its event. */
export interface NativeCall {
  readonly agent: Agent;
  readonly nativeEvent: string;
  readonly native: JsonObject;
}

/**
 * The agent is the registered one, unless the call has the certain signs of a program that also runs its hooks. No call is
 * left to another registration: it cannot be known that the sender reads that one too, and hooks that run twice are
 * better than a guard that does not run. The sender may have its own name for the registered event, and no other event: a
 * payload cannot turn a call into one that no hook handles.
 */
async function callingAgent(native: JsonObject, options: BridgeOptions, { env }: Host): Promise<NativeCall> {
  const registered = options.nativeEvent ?? "";
  const raised = rowOf(options.agent, registered)?.raises[0]?.event;
  const names = [...EVENT_KEYS.map((key) => textAt(native, key)), registered];
  const isMeant = (row: NativeEvent): boolean => raised === undefined || row.raises[0]?.event === raised;
  const eventIn = (agent: Agent): string | undefined =>
    names.find((name) => {
      const row = rowOf(agent, name);
      return row !== undefined && isMeant(row);
    });
  const sender = BORROWERS.find(({ from, isSender }) => from.includes(options.agent.name) && isSender(native, env));
  const borrower = sender === undefined ? options.agent : await sender.load();
  const own = eventIn(borrower);
  if (own !== undefined) return { agent: borrower, nativeEvent: own, native };
  return { agent: options.agent, nativeEvent: eventIn(options.agent) ?? registered, native };
}
