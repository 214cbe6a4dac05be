import { envelopeReader } from "../../../src/dialects/dialects.ts";
import { textAt } from "../../../src/dialects/field-paths.ts";
import { dialectSample, findUnknownField, sampleForHook, sampleWith } from "../../../src/dialects/payload-paths.ts";
import type { AgentName } from "../../../src/protocol/agent-names.ts";
import { type EventName, findEvent, type NamedEvent } from "../../../src/protocol/event.ts";
import { type Hook, hookForEvent } from "../../../src/protocol/hook.ts";
import { EMPTY_OBJECT, membersOf, objectOf, stringOf, textSpan } from "../../../src/protocol/json/read.ts";
import { type Payload, readPayload } from "../../../src/protocol/payload/payload.ts";
import type { SampleObject } from "../../../src/protocol/payload/sample.ts";
import { explain } from "../../../src/protocol/problem-messages/explain.ts";
import { fail, ok, type Result } from "../../../src/protocol/result.ts";
import { AGENTS } from "../../agents/agents.ts";
import { eventsRaising, nativeCall } from "../../agents/native-call.ts";
import { canonicalFields, raisedPayload } from "../../agents/native-payload.ts";
import { nativeSamples } from "../../agents/native-samples.ts";
import type { CasePayload, TestCase } from "./test-case.ts";

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
  const all = new Map([...fields.members, ...others, ["cwd", textSpan(cwd)] as const]);
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
  // A case that names no tool is about one that the hook handles.
  const sample =
    hook === null || one.payload.has("tool_name")
      ? dialectSample({ event, dialect }, cwd)
      : sampleForHook({ event, dialect }, { cwd, match: hook.match }, (tool) => {
          return findUnknownField({ event, dialect }, one.payload, tool) === null;
        });
  const misplaced = misplacedField(one, { event, dialect: one.event === null ? dialect : named.dialect }, sample);
  if (misplaced !== null) return fail(misplaced);
  const set = new Map([...one.payload, ["event", textSpan(event)], ["cwd", textSpan(cwd)]] as const);
  const read = readPayload(event, sampleWith(sample, set, named), cwd, envelopeReader(named.dialect));
  return read.ok ? ok(read.value) : fail(explain(read.error).summary);
}

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

/** The case's fields over the agent's own sample, read as the bridge reads a payload of this agent. `handled`: null for a chain. */
async function agentPayload(
  one: TestCase & { readonly agent: AgentName },
  handled: readonly EventName[] | null,
  cwd: string,
): Promise<Result<Payload, string>> {
  const agent = AGENTS[one.agent];
  const wanted = one.event ?? handled?.[0] ?? "";
  const event = findEvent(wanted)?.event ?? null;
  const raising = event === null ? undefined : eventsRaising(agent, event)[0]?.[0];
  const native = Object.hasOwn(agent.events, wanted) ? wanted : (raising ?? "");
  const row = agent.events[native];
  if (row === undefined) return fail(`${agent.title} has no event for ${wanted}`);
  const samples = (await nativeSamples(one.agent, cwd))(native);
  const sample = membersOf(samples[0]?.payload ?? EMPTY_OBJECT);
  const sent = objectOf(new Map([...sample, ...one.payload]));
  const raises = row.raises.filter(
    (raised) => (handled?.includes(raised.event) ?? true) && (raised.when?.(membersOf(sent)) ?? true),
  );
  const raised = raises.find((other) => other.event === event) ?? raises[0];
  if (raised === undefined) return fail(`${agent.title}'s ${native} raises no event that it handles`);
  const { members, problem: ambiguous } = canonicalFields(agent, native, raised, sent);
  const inScratch = new Map([...members, ["cwd", textSpan(cwd)] as const]);
  const { payload, problems } = raisedPayload(raised.event, { members: inScratch, problem: ambiguous }, cwd);
  const [problem] = problems;
  return payload === null ? fail(problem === undefined ? "no payload" : explain(problem).summary) : ok(payload);
}
