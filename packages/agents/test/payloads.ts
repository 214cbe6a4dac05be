import { AGENT_NAMES, type AgentName } from "../../../src/protocol/agent-names.ts";
import type { JsonRecord } from "../../../src/protocol/json/write.ts";
import { AGENTS } from "../agents.ts";
import { nativeSamples } from "../native-samples.ts";

type NativeEvents = Readonly<Record<string, JsonRecord>>;

/** A payload of each event of each agent, as it sends it. */
export const NATIVE = Object.fromEntries(
  await Promise.all(AGENT_NAMES.map(async (name) => [name, await firstSamples(name)] as const)),
) as Readonly<Record<AgentName, NativeEvents>>;

async function firstSamples(name: AgentName): Promise<NativeEvents> {
  const samples = await nativeSamples(name, "/");
  return Object.fromEntries(
    Object.keys(AGENTS[name].events).map((event) => [event, JSON.parse(samples(event)[0]?.payload.raw ?? "null")]),
  );
}
