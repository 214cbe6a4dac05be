import type { AgentName } from "../agents/agent.ts";
import { AGENTS } from "../agents/agents.ts";
import { nativeSampleWith } from "../agents/native-sample-with.ts";
import { nativeSamples } from "../agents/native-samples.ts";
import { type CommandResult, print } from "../cli/command-result.ts";
import type { CommandLine } from "../cli/command-table.ts";
import { dialectFields } from "../dialects/dialects.ts";
import { sampleWithValues } from "../dialects/payload-paths.ts";
import type { Host } from "../host.ts";
import { envelopeExtras } from "../invoke/invoke-executable.ts";
import { findEvent, type NamedEvent, nearestEvent } from "../protocol/event.ts";
import { jsonText, printableJson, rawJson } from "../protocol/json/write.ts";
import { type Payload, payloadText, readPayload } from "../protocol/payload/payload.ts";
import { type PathValue, parsePathValues } from "../protocol/payload/sample.ts";
import type { UsageProblem } from "../protocol/problem.ts";
import { fail, ok, type Result, unwrap } from "../protocol/result.ts";
import { nearest } from "../protocol/text/nearest.ts";

/** `hookctl payload EVENT`: prints a valid sample payload. `AGENT:EVENT`: prints what the agent sends. */
export async function payload(line: CommandLine<"payload">, host: Host): Promise<CommandResult> {
  const [name = "", ...values] = line.args;
  const [agent = "", event = ""] = name.split(":", 2);
  if (isAgentName(agent) && isEventOf(agent, event, name))
    return agentPayload({ agent, event, values: [...values, ...line.options.set] }, host);
  const options = readPayloadOptions(line);
  return options.ok ? samplePayload(options.value, host) : fail(options.error);
}

interface SampleOptions {
  readonly named: NamedEvent;
  readonly set: readonly PathValue[];
}

const isAgentName = (name: string): name is AgentName => Object.hasOwn(AGENTS, name);

/** A name that is an event of a dialect alone means that one. */
const isEventOf = (agent: AgentName, event: string, name: string): boolean =>
  Object.hasOwn(AGENTS[agent].events, event) || findEvent(name) === null;

const EXAMPLE = 'hookctl payload before_tool_call tool_input.command="ls -la"';

interface AgentSample {
  readonly agent: AgentName;
  readonly event: string;
  readonly values: readonly string[];
}

async function agentPayload({ agent, event, values }: AgentSample, host: Host): Promise<CommandResult> {
  const row = AGENTS[agent];
  if (!Object.hasOwn(row.events, event)) {
    const near = nearest(event, Object.keys(row.events));
    const wanted = near === null ? null : `${agent}:${near}`;
    return fail({ code: "USAGE_UNKNOWN_EVENT", name: `${agent}:${event}`, nearest: wanted });
  }
  const set = parsePathValues(values);
  if (!set.ok)
    return fail({ code: "USAGE_WRONG_WORDS", detail: `"${set.error}" is not PATH=VALUE.`, tryThis: EXAMPLE });
  const samples = await nativeSamples(agent, host.cwd);
  const sample = nativeSampleWith(row, event, samples(event), set.value);
  if (!sample.ok)
    return fail({
      code: "USAGE_WRONG_WORDS",
      detail: `${sample.error}.`,
      tryThis: `hookctl payload ${agent}:${event}`,
    });
  if (!sample.value.isCaptured) host.err(`• Written from ${row.title}'s documentation, not captured\n`);
  return print(`${printableJson(rawJson(sample.value.payload.raw))}\n`, host);
}

function readPayloadOptions(line: CommandLine<"payload">): Result<SampleOptions, UsageProblem> {
  const [name = "", ...values] = line.args;
  const named = findEvent(name);
  if (named === null) return fail({ code: "USAGE_UNKNOWN_EVENT", name, nearest: nearestEvent(name) });
  const set = parsePathValues([...values, ...line.options.set]);
  if (set.ok) return ok({ named, set: set.value });
  return fail({ code: "USAGE_WRONG_WORDS", detail: `"${set.error}" is not PATH=VALUE.`, tryThis: EXAMPLE });
}

/** The sample is in the dialect of the event's name. */
function samplePayload({ named, set }: SampleOptions, host: Host): CommandResult {
  const sample = unwrap(sampleWithValues(named, set, { cwd: host.cwd, match: null }));
  const payload = unwrap(readPayload(named.event, jsonText(sample), host.cwd));
  return print(`${textIn(named, payload, host)}\n`, host);
}

function textIn({ dialect }: NamedEvent, payload: Payload, host: Host): string {
  const moment = envelopeExtras(payload, new Date(host.nowMs()).toISOString());
  return printableJson(rawJson(payloadText(payload, dialectFields(dialect, payload, moment))));
}
