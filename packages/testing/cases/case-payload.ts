import { envelopeReader } from "../../../src/dialects/dialects.ts";
import { textAt } from "../../../src/dialects/field-paths.ts";
import { dialectSample, findUnknownField, sampleForHook, sampleWith } from "../../../src/dialects/payload-paths.ts";
import type { AgentName } from "../../../src/protocol/agent-names.ts";
import { type EventName, findEvent, type NamedEvent } from "../../../src/protocol/event.ts";
import { type Hook, hookForEvent } from "../../../src/protocol/hook.ts";
import {
  EMPTY_OBJECT,
  type JsonSpan,
  membersOf,
  objectOf,
  spanOfRaw,
  stringOf,
} from "../../../src/protocol/json/read.ts";
import { jsonText } from "../../../src/protocol/json/write.ts";
import { type Payload, readPayload } from "../../../src/protocol/payload/payload.ts";
import type { SampleObject } from "../../../src/protocol/payload/sample.ts";
import { explain } from "../../../src/protocol/problem-messages/explain.ts";
import { fail, ok, type Result } from "../../../src/protocol/result.ts";
import type { Agent, NativeEvent, RaisedEvent } from "../../agents/agent.ts";
import { AGENTS } from "../../agents/agents.ts";
import type { AnswerContext } from "../../agents/native-answer.ts";
import { eventsRaising, nativeCall } from "../../agents/native-call.ts";
import { canonicalFields, raisedPayload } from "../../agents/native-payload.ts";
import { nativeSamples } from "../../agents/native-samples.ts";
import type { TestCase } from "./test-case.ts";

/** The payload of a case, and the agent's call from which it was read; null if the case is in no agent's format. */
export interface CasePayload {
  readonly payload: Payload;
  readonly sent: (AnswerContext & { readonly tool: string }) | null;
}

/** The payload of a case for one hook, or for a chain (null). Its folder is always a scratch folder. */
export async function casePayload(one: TestCase, hook: Hook | null, cwd: string): Promise<Result<CasePayload, string>> {
  if (one.replay !== undefined) return replayPayload({ ...one, replay: one.replay }, hook, cwd);
  const payload =
    one.agent === null
      ? contractPayload(one, hook, cwd)
      : await agentPayload({ ...one, agent: one.agent }, hook?.events ?? null, cwd);
  return payload.ok ? ok({ payload: payload.value, sent: null }) : payload;
}

/** The same tool call, as the agent sends it and its bridge reads it. Fails if the agent has no such tool. */
async function replayPayload(
  one: TestCase & { readonly replay: AgentName },
  hook: Hook | null,
  cwd: string,
): Promise<Result<CasePayload, string>> {
  const agent = AGENTS[one.replay];
  const written = contractPayload(one, hook, cwd);
  if (!written.ok) return written;
  const { event, members } = written.value;
  const input = members.get("tool_input") ?? EMPTY_OBJECT;
  const call = nativeCall(agent, await nativeSamples(one.replay, cwd), event, {
    name: textAt(members, "tool_name"),
    input,
  });
  if (!call.ok) return call;
  const { raised, fields, payload: native, tool } = call.value;
  const named = findEvent(one.event ?? "") ?? { event, dialect: "kodelet" };
  const set = envelopeReader(named.dialect)(one.payload, event);
  const others = [...(set.ok ? set.value : one.payload)].filter(([key]) => !OF_CALL.includes(key));
  const all = new Map([...fields.members, ...others, ["cwd", text(cwd)] as const]);
  const { payload } = raisedPayload(raised.event, { ...fields, members: all }, cwd);
  const row = agent.events[call.value.event];
  if (payload === null || row === undefined) return fail("its payload is not valid");
  return ok({ payload, sent: { agent, row, native: membersOf(native), tool } });
}
/** The fields that a bridge makes of a tool call. */
export const OF_CALL = ["tool_name", "tool_input", "tool_kind", "tool_names", "tool_files", "agent", "native"];

/** The case's fields over the sample of its event. */
function contractPayload(one: TestCase, hook: Hook | null, cwd: string): Result<Payload, string> {
  const [first] = hook?.events ?? [];
  const named = findEvent(one.event ?? first ?? "");
  if (named === null || hook?.events.includes(named.event) === false)
    return fail(`it handles ${hook?.events.join(", ")}, not ${one.event}`);
  const { event } = named;
  const dialect = hook === null ? named.dialect : hookForEvent(hook, event).dialect;
  const sample = sampleOf(one, hook, { named: { event, dialect }, cwd });
  const misplaced = misplacedField(one, { event, dialect: one.event === null ? dialect : named.dialect }, sample);
  if (misplaced !== null) return fail(misplaced);
  const fixed = [["event", text(event)] as const, ["cwd", text(cwd)] as const];
  const own = new Map([...one.payload, ...fixed]);
  const read = readPayload(event, sampleWith(sample, own, named), cwd, envelopeReader(named.dialect));
  return read.ok ? ok(read.value) : fail(explain(read.error).summary);
}

/** A case that names no tool means one that the hook handles. */
function sampleOf({ payload }: TestCase, hook: Hook | null, { named, cwd }: { named: NamedEvent; cwd: string }) {
  if (hook === null || payload.has("tool_name")) return dialectSample(named, cwd);
  return sampleForHook(named, { cwd, match: hook.match }, (tool) => findUnknownField(named, payload, tool) === null);
}

const text = (value: string): JsonSpan => spanOfRaw(jsonText(value));

/**
 * An unknown field or tool argument that looks like a misplaced one: `command` for `tool_input.command`. Other unknown
 * fields may be intended.
 */
function misplacedField({ payload }: TestCase, named: NamedEvent, sample: SampleObject): string | null {
  const tool = payload.get("tool_name");
  const sampleTool = typeof sample.tool_name === "string" ? sample.tool_name : "";
  const toolName = tool === undefined ? sampleTool : tool.kind === "string" ? stringOf(tool) : "";
  for (const [key, value] of payload) {
    const unknown = findUnknownField(named, new Map([[key, value]]), toolName);
    if (unknown !== null && unknown.nearest !== null)
      return `no payload of ${unknown.event} has ${unknown.path}. Did you mean ${unknown.nearest}?`;
  }
  return null;
}

type AgentCase = TestCase & { readonly agent: AgentName };

/** The case's fields over the agent's own sample, read as the bridge reads a payload of this agent. `handled`: null for a chain. */
async function agentPayload(
  one: AgentCase,
  handled: readonly EventName[] | null,
  cwd: string,
): Promise<Result<Payload, string>> {
  const agent = AGENTS[one.agent];
  const wanted = one.event ?? handled?.[0] ?? "";
  const native = Object.hasOwn(agent.events, wanted) ? wanted : nativeEventFor(agent, wanted);
  const row = native === null ? undefined : agent.events[native];
  if (native === null || row === undefined) return fail(`${agent.title} has no event for ${wanted}`);
  const samples = (await nativeSamples(one.agent, cwd))(native);
  const sample = membersOf(samples[0]?.payload ?? EMPTY_OBJECT);
  const sent = objectOf(new Map([...sample, ...one.payload]));
  const raised = raisedBy(row, sent.raw, { wanted: findEvent(wanted)?.event ?? null, handled });
  if (raised === null) return fail(`${agent.title}'s ${native} raises no event that it handles`);
  const { members, problem: ambiguous } = canonicalFields(agent, native, raised, sent);
  const inScratch = new Map([...members, ["cwd", spanOfRaw(jsonText(cwd))] as const]);
  const { payload, problems } = raisedPayload(raised.event, { members: inScratch, problem: ambiguous }, cwd);
  const [problem] = problems;
  return payload === null ? fail(problem === undefined ? "no payload" : explain(problem).summary) : ok(payload);
}

/** The first event of the agent that raises this one. */
function nativeEventFor(agent: Agent, wanted: string): string | null {
  const event = findEvent(wanted)?.event;
  return event === undefined ? null : (eventsRaising(agent, event)[0]?.[0] ?? null);
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
