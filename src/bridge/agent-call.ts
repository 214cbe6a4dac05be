import type { Agent, NativeEvent } from "../agents/agent.ts";
import { BORROWERS } from "../agents/borrowers.ts";
import { loadAgent } from "../agents/load-agent.ts";
import { blockFormat } from "../agents/native-answer.ts";
import { canonicalFields, type RaisedPayload, raisedPayload } from "../agents/native-payload.ts";
import type { BridgeOptions } from "../cli/bridge-options.ts";
import { textAt } from "../dialects/field-paths.ts";
import type { Host } from "../host.ts";
import { faultText, JSON_DEPTH, type JsonObject, readWithMembers } from "../protocol/json/read.ts";
import type { Payload } from "../protocol/payload/payload.ts";
import type { PayloadProblem, Problem } from "../protocol/problem.ts";
import { fail, ok, type Result } from "../protocol/result.ts";
import { hasOwnRegistration } from "./own-registration.ts";

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

/** The payload fields that can name the event, for a registration without `--event`. */
const EVENT_KEYS = ["hook_event_name", "hookEventName", "event"];

/** Null if there is nothing to do: the event is not supported, or another registration answers it. */
export async function parseCall(
  text: string,
  options: BridgeOptions,
  host: Host,
): Promise<Result<AgentCall | null, Problem>> {
  const read = readWithMembers(text, JSON_DEPTH);
  if (!read.ok) return fail({ code: "PAYLOAD_NOT_JSON", line: read.error.line, detail: faultText(read.error) });
  const { span, members: native } = read.value;
  if (native === null) return fail({ code: "PAYLOAD_NOT_OBJECT", found: span.kind });
  const named = options.nativeEvent ?? EVENT_KEYS.map((key) => textAt(native, key)).find((name) => name !== "") ?? "";
  const nativeCall = await callingAgent({ agent: options.agent, nativeEvent: named, native }, host);
  const row = nativeCall === null ? undefined : rowOf(nativeCall.agent, nativeCall.nativeEvent);
  if (nativeCall === null || row === undefined) return ok(null);
  const raised = row.raises
    .filter(({ when }) => when?.(native) ?? true)
    .map((one) => {
      const fields = canonicalFields(nativeCall.agent, nativeCall.nativeEvent, one, span);
      return raisedPayload(one.event, fields, host.cwd);
    });
  return callOf({ ...nativeCall, row }, raised, options.failClosed);
}

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
 * Some agents also run the hooks in another agent's settings. If such an agent has a registration of its own for the
 * event, this call is a duplicate and hooks would act twice: null. Otherwise it is answered in the sender's format.
 */
async function callingAgent(call: NativeCall, host: Host): Promise<NativeCall | null> {
  // Decided by the payload alone: a project's settings could set any variable.
  const sender = BORROWERS.find(({ from, isSender }) => from === call.agent.name && isSender(call.native));
  if (sender === undefined) return call;
  const agent = await loadAgent(sender.name);
  // The sender names the event in its own way, whatever the registration in the other agent's settings says.
  const named = textAt(call.native, "hook_event_name");
  const nativeEvent = Object.hasOwn(agent.events, named) ? named : call.nativeEvent;
  return (await hasOwnRegistration(agent, nativeEvent, host)) ? null : { ...call, agent, nativeEvent };
}
