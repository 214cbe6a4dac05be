import { AGENT_NAMES, type AgentName } from "../../../src/protocol/agent-names.ts";
import type { EventName } from "../../../src/protocol/event.ts";
import { membersOf, spanOfRaw } from "../../../src/protocol/json/read.ts";
import { expressedCall } from "../../../src/protocol/tools/restore.ts";
import { PORTABLE_TOOLS } from "../../../src/protocol/tools/vocabulary.ts";
import { AGENTS } from "../agents.ts";
import { translatedCall } from "../native-payload.ts";
import { samplesOf as agentSamples } from "../native-samples.ts";
import { NATIVE } from "./payloads.ts";

type Json = Readonly<Record<string, unknown>>;

/** A payload that an agent sent, or as its documentation has it. */
export interface NativeSample {
  readonly agent: AgentName;
  readonly event: string;
  /** The captured variant; `documented`: the agent was never captured. */
  readonly variant: string;
  readonly payload: Json;
}

const CAPTURED = Object.fromEntries(
  await Promise.all(AGENT_NAMES.map(async (agent) => [agent, (await agentSamples(agent)).captured] as const)),
);

function samplesOf(agent: AgentName): readonly NativeSample[] {
  const captured = Object.entries(CAPTURED[agent] ?? {});
  if (captured.length === 0) {
    const documented = Object.entries(NATIVE[agent]).map(([event, payload]) => ({ agent, event, payload }));
    return documented.flatMap((sample) => [{ ...sample, variant: "documented" }, ...otherTools(sample)]);
  }
  return captured.flatMap(([event, variants]) =>
    Object.entries(variants).map(([variant, payload]) => ({ agent, event, variant, payload })),
  );
}

/** The documented payload with each other tool of the agent in place of its own. */
function otherTools(sample: Omit<NativeSample, "variant">): readonly NativeSample[] {
  const { agent, event, payload } = sample;
  if (!/^(pre|post)ToolUse$/i.test(event)) return [];
  return Object.entries(PORTABLE_TOOLS).flatMap(([tool, row]) => {
    const call = expressedCall(AGENTS[agent].tools.table, tool, spanOfRaw(JSON.stringify(row.sample)));
    if (call === null) return [];
    const named = { [keyIn(payload, NAME_KEYS)]: call.name, [keyIn(payload, INPUT_KEYS)]: JSON.parse(call.input.raw) };
    return [{ ...sample, variant: `documented ${call.name}`, payload: { ...payload, ...named } }];
  });
}

/** Every payload of an event that hookctl raises as the given one. */
export const samplesRaising = (raised: EventName): readonly NativeSample[] =>
  AGENT_NAMES.flatMap(samplesOf).filter(({ agent, event }) => AGENTS[agent].events[event]?.raises[0]?.event === raised);

/** A payload of the agent's event that hookctl raises as the given one, among others perhaps. Null: it has no such event. */
export function sampleRaising(agent: AgentName, raised: EventName): NativeSample | null {
  const raises = ({ event, payload }: NativeSample): boolean =>
    AGENTS[agent].events[event]?.raises.some(
      (one) => one.event === raised && (one.when?.(membersOf(spanOfRaw(JSON.stringify(payload)))) ?? true),
    ) ?? false;
  const samples = [
    ...samplesOf(agent),
    ...Object.entries(NATIVE[agent]).map(([event, payload]) => ({ agent, event, variant: "documented", payload })),
  ];
  return samples.find(raises) ?? null;
}

/** The payload in a folder and a session of the test's own. */
export function inSession(sample: NativeSample, folder: string, session: string): NativeSample {
  const own = { cwd: folder, working_dir: folder, workspace_roots: [folder], session_id: session, sessionId: session };
  const all = { ...own, conversation_id: session, session };
  const known = Object.entries(all).filter(([key]) => key in sample.payload);
  return { ...sample, payload: { ...sample.payload, ...Object.fromEntries(known) } };
}

/** The member of a payload with the arguments of its call. */
const INPUT_KEYS = ["tool_input", "toolArgs", "input"];
const NAME_KEYS = ["tool_name", "toolName", "tool"];
const OUTPUT_KEYS = ["tool_response", "toolResult", "tool_result", "output", "tool_output"];

const keyIn = (payload: Json, keys: readonly string[]): string => keys.find((key) => key in payload) ?? "";
export const inputOf = (payload: Json): unknown => payload[keyIn(payload, INPUT_KEYS)];

/** The call of a payload in portable names. */
export function portableOf({ agent, event, payload }: NativeSample) {
  const [raised] = AGENTS[agent].events[event]?.raises ?? [];
  const call =
    raised === undefined ? null : translatedCall(AGENTS[agent], raised, membersOf(spanOfRaw(JSON.stringify(payload))));
  if (call === null) throw new Error(`${agent} ${event} has no tool call`);
  const { tool, kind, input } = call.portable;
  return { tool, kind, input: JSON.parse(input.raw) as Json };
}

/** A tool call in portable names. */
export interface ToolCall {
  readonly tool: string;
  readonly input: Json;
  /** After the call: the text of the result. */
  readonly result?: string;
}

/** The call as the agent would send it, in a payload that it did send. Null: the agent has no such tool. */
export function nativeCall(
  agent: AgentName,
  raised: EventName,
  { tool, input, result }: ToolCall,
): NativeSample | null {
  const samples = samplesRaising(raised).filter((one) => one.agent === agent && inputOf(one.payload) !== undefined);
  const own = samples.find((sample) => portableOf(sample).tool === tool) ?? samples[0];
  const call = expressedCall(AGENTS[agent].tools.table, tool, spanOfRaw(JSON.stringify(input)));
  if (own === undefined || call === null) return null;
  const sent = keyIn(own.payload, NAME_KEYS);
  // An event about one tool alone, as Cursor's beforeShellExecution, has no names to change.
  if (sent === "") return null;
  const output = result === undefined ? {} : withResult(own.payload, result);
  const changed = { [sent]: call.name, [keyIn(own.payload, INPUT_KEYS)]: JSON.parse(call.input.raw) };
  return { ...own, payload: { ...own.payload, ...changed, ...output } };
}

/** The text of a result in the shape that the agent sent. */
function withResult(payload: Json, result: string): Json {
  // The documented payload of goose has no result.
  const key = keyIn(payload, OUTPUT_KEYS) || "tool_result";
  const before = payload[key];
  if (typeof before !== "object" || before === null || Array.isArray(before)) return { [key]: result };
  const field = ["stdout", "llmContent", "textResultForLlm", "text_result_for_llm"].find((one) => one in before);
  return { [key]: { ...before, ...(field === undefined ? {} : { [field]: result }) } };
}
