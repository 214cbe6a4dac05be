import type { Agent, AgentName, NativeEvent, RaisedEvent } from "../../agents/agent.ts";
import { AGENTS } from "../../agents/agents.ts";
import { canonicalFields, raisedPayload } from "../../agents/native-payload.ts";
import { nativeSample } from "../../agents/native-samples.ts";
import { type EventName, findEvent } from "../../protocol/event.ts";
import { membersOf, objectOf, spanOfRaw } from "../../protocol/json/read.ts";
import { jsonText } from "../../protocol/json/write.ts";
import type { Payload } from "../../protocol/payload/payload.ts";
import { explain } from "../../protocol/problem-message.ts";
import { fail, ok, type Result } from "../../protocol/result.ts";
import type { TestCase } from "./test-case.ts";

type AgentCase = TestCase & { readonly agent: AgentName };

/** The case's fields over the agent's own sample, read as the bridge reads a payload of this agent. `handled`: null for a chain. */
export function agentPayload(
  one: AgentCase,
  handled: readonly EventName[] | null,
  cwd: string,
): Result<Payload, string> {
  const agent = AGENTS[one.agent];
  const wanted = one.event ?? handled?.[0] ?? "";
  const native = Object.hasOwn(agent.events, wanted) ? wanted : nativeEventFor(agent, wanted);
  const row = native === null ? undefined : agent.events[native];
  if (native === null || row === undefined) return fail(`${agent.title} has no event for ${wanted}`);
  const sample = membersOf(spanOfRaw(jsonText(nativeSample(one.agent, native, cwd) ?? {})));
  const sent = objectOf(new Map([...sample, ...one.payload]));
  const raised = raisedBy(row, sent.raw, { wanted: findEvent(wanted)?.event ?? null, handled });
  if (raised === null) return fail(`${agent.title}'s ${native} raises no event that it handles`);
  const members = new Map([
    ...canonicalFields(agent, native, raised, sent),
    ["cwd", spanOfRaw(jsonText(cwd))] as const,
  ]);
  const { payload, problems } = raisedPayload(raised.event, members, cwd);
  const [problem] = problems;
  return payload === null ? fail(problem === undefined ? "no payload" : explain(problem).summary) : ok(payload);
}

/** The first event of the agent that raises this one, those first that are registered without being asked for. */
function nativeEventFor(agent: Agent, wanted: string): string | null {
  const event = findEvent(wanted)?.event;
  const raising = Object.entries(agent.events).filter(([, row]) => row.raises.some((raised) => raised.event === event));
  const registered = raising.find(([, { timeoutMs }]) => timeoutMs !== null);
  return (registered ?? raising[0])?.[0] ?? null;
}

interface Wanted {
  readonly wanted: EventName | null;
  readonly handled: readonly EventName[] | null;
}

function raisedBy(row: NativeEvent, sent: string, { wanted, handled }: Wanted): RaisedEvent | null {
  const native = membersOf(spanOfRaw(sent));
  const raised = row.raises.filter(({ event, when }) => (handled?.includes(event) ?? true) && (when?.(native) ?? true));
  return raised.find(({ event }) => event === wanted) ?? raised[0] ?? null;
}
