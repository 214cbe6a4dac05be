import { type CommandResult, print } from "../cli/command-result.ts";
import type { CommandLine } from "../cli/command-table.ts";
import { dialectSample } from "../dialects/dialect-sample.ts";
import { dialectFields } from "../dialects/dialects.ts";
import { resolveFieldAlias } from "../dialects/field-aliases.ts";
import type { Host } from "../host.ts";
import { envelopeExtras } from "../invoke/invoke-context.ts";
import { findEvent, type NamedEvent, nearestEvent } from "../protocol/event.ts";
import { jsonText, printableJson, rawJson } from "../protocol/json/write.ts";
import { type Payload, payloadText, readPayload } from "../protocol/payload/payload.ts";
import { type PathValue, parsePathValues, withValue } from "../protocol/payload/sample.ts";
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

const EXAMPLE = 'hookctl payload before_tool_call --set tool_input.command="ls -la"';

function readPayloadOptions(line: CommandLine<"payload">): Result<SampleOptions, UsageProblem> {
  const [name = ""] = line.args;
  const named = findEvent(name);
  if (named === null) return fail({ code: "USAGE_UNKNOWN_EVENT", name, nearest: nearestEvent(name) });
  const set = parsePathValues(line.options.set);
  if (set.ok) return ok({ named, set: set.value });
  const detail = `write path=value: ${EXAMPLE}`;
  return fail({ code: "USAGE_BAD_VALUE", flag: "--set", value: set.error, detail });
}

/** The sample is in the dialect of the event's name. */
function samplePayload({ named, set }: SampleOptions, host: Host): CommandResult {
  const sample = set.map(resolveFieldAlias(named)).reduce(withValue, dialectSample(named, host.cwd));
  const payload = readPayload(named.event, jsonText(sample), host.cwd);
  if (!payload.ok) return payload;
  return print(`${textIn(named, payload.value, host)}\n`, host);
}

function textIn({ dialect }: NamedEvent, payload: Payload, host: Host): string {
  const moment = envelopeExtras(payload, new Date(host.nowMs()).toISOString());
  return printableJson(rawJson(payloadText(payload, dialectFields(dialect, payload, moment))));
}
