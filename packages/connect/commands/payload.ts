import { type CommandResult, print } from "../../../src/cli/command-result.ts";
import type { CommandLine } from "../../../src/cli/command-table.ts";
import { dialectFields } from "../../../src/dialects/dialects.ts";
import { sampleWithValues } from "../../../src/dialects/payload-paths.ts";
import type { Host } from "../../../src/engine/host.ts";
import { envelopeExtras } from "../../../src/invoke/invoke-executable.ts";
import type { AgentName } from "../../../src/protocol/agent-names.ts";
import { findEvent, type NamedEvent, nearestEvent } from "../../../src/protocol/event.ts";
import { jsonText, printableJson, rawJson } from "../../../src/protocol/json/write.ts";
import { payloadText, readPayload } from "../../../src/protocol/payload/payload.ts";
import { type PathValue, parsePathValues } from "../../../src/protocol/payload/sample.ts";
import { fail, ProblemError, unwrap } from "../../../src/protocol/result.ts";
import { nearest } from "../../../src/protocol/text/nearest.ts";
import { AGENTS } from "../../agents/agents.ts";
import { nativeSampleWith } from "../../agents/native-sample-with.ts";
import { nativeSamples } from "../../agents/native-samples.ts";

/** `hookctl payload EVENT`: prints a valid sample payload. `AGENT:EVENT`: prints what the agent sends. */
export async function payload(line: CommandLine<"payload">, host: Host): Promise<CommandResult> {
  const [name = "", ...words] = line.args;
  const values = [...words, ...line.options.set];
  const [agent = "", event = ""] = name.split(":", 2);
  if (isAgentName(agent) && isEventOf(agent, event, name)) return agentPayload(agent, event, values, host);
  const named = findEvent(name);
  if (named === null) return fail({ code: "USAGE_UNKNOWN_EVENT", name, nearest: nearestEvent(name) });
  return samplePayload(named, parsedValues(values), host);
}

const isAgentName = (name: string): name is AgentName => Object.hasOwn(AGENTS, name);

/** False for a name of another dialect that only looks like `AGENT:EVENT`. */
const isEventOf = (agent: AgentName, event: string, name: string): boolean =>
  Object.hasOwn(AGENTS[agent].events, event) || findEvent(name) === null;

const EXAMPLE = 'hookctl payload before_tool_call tool_input.command="ls -la"';

function parsedValues(values: readonly string[]): readonly PathValue[] {
  const set = parsePathValues(values);
  if (set.ok) return set.value;
  const detail = `"${set.error}" is not PATH=VALUE.`;
  throw new ProblemError({ code: "USAGE_WRONG_WORDS", detail, tryThis: EXAMPLE });
}

async function agentPayload(
  agent: AgentName,
  event: string,
  values: readonly string[],
  host: Host,
): Promise<CommandResult> {
  const row = AGENTS[agent];
  if (!Object.hasOwn(row.events, event)) {
    const near = nearest(event, Object.keys(row.events));
    const suggestion = near === null ? null : `${agent}:${near}`;
    return fail({ code: "USAGE_UNKNOWN_EVENT", name: `${agent}:${event}`, nearest: suggestion });
  }
  const set = parsedValues(values);
  const samples = await nativeSamples(agent, host.cwd);
  const sample = nativeSampleWith(row, event, samples(event), set);
  if (!sample.ok) {
    const tryThis = `hookctl payload ${agent}:${event}`;
    return fail({ code: "USAGE_WRONG_WORDS", detail: `${sample.error}.`, tryThis });
  }
  if (!sample.value.isCaptured) host.err(`• Written from ${row.title}'s documentation, not captured\n`);
  return print(`${printableJson(rawJson(sample.value.payload.raw))}\n`, host);
}

/** The sample is in the dialect of the event's name. */
function samplePayload(named: NamedEvent, set: readonly PathValue[], host: Host): CommandResult {
  const sample = unwrap(sampleWithValues(named, set, { cwd: host.cwd, match: null }));
  const filled = unwrap(readPayload(named.event, jsonText(sample), host.cwd));
  const extras = envelopeExtras(filled, new Date(host.nowMs()).toISOString());
  const text = payloadText(filled, dialectFields(named.dialect, filled, extras));
  return print(`${printableJson(rawJson(text))}\n`, host);
}
