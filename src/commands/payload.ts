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
import { fail, ok, type Result } from "../protocol/result.ts";

/** `hookctl payload EVENT`: prints a valid sample payload. */
export async function payload(line: CommandLine<"payload">, host: Host): Promise<CommandResult> {
  const options = readPayloadOptions(line);
  return options.ok ? samplePayload(options.value, host) : fail(options.error);
}

interface SampleOptions {
  readonly named: NamedEvent;
  readonly set: readonly PathValue[];
}

const EXAMPLE = 'hookctl payload before_tool_call tool_input.command="ls -la"';

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
  const sample = sampleWithValues(named, set, { cwd: host.cwd, match: null });
  if (!sample.ok) return sample;
  const payload = readPayload(named.event, jsonText(sample.value), host.cwd);
  if (!payload.ok) return payload;
  return print(`${textIn(named, payload.value, host)}\n`, host);
}

function textIn({ dialect }: NamedEvent, payload: Payload, host: Host): string {
  const moment = envelopeExtras(payload, new Date(host.nowMs()).toISOString());
  return printableJson(rawJson(payloadText(payload, dialectFields(dialect, payload, moment))));
}
