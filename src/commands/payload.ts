import { sampleIn } from "../dialects/dialect-sample.ts";
import { addedFor } from "../dialects/dialects.ts";
import { placedIn } from "../dialects/field-aliases.ts";
import { envelopeExtras } from "../invoke/envelope-extras.ts";
import { findEvent, type NamedEvent, nearestEvent } from "../protocol/event.ts";
import { jsonText, rawJson, writeJson } from "../protocol/json/write.ts";
import { type Payload, payloadText, readPayload } from "../protocol/payload.ts";
import type { UsageProblem } from "../protocol/problem.ts";
import { fail, ok, type Result } from "../protocol/result.ts";
import { type Placed, readPlaced, withValue } from "../protocol/sample.ts";
import type { World } from "../world.ts";
import type { RawLine } from "./flag-table.ts";
import { listFlag } from "./flags.ts";
import { print, refuse } from "./start.ts";

/** `hookctl payload <event>`: a valid sample on stdout. */
export async function payload(line: RawLine, world: World): Promise<number> {
  const flags = readPayloadFlags(line);
  return flags.ok ? samplePayload(flags.value, world) : refuse(flags.error, world);
}

interface PayloadFlags {
  readonly named: NamedEvent;
  readonly set: readonly Placed[];
}

const EXAMPLE = 'hookctl payload before_tool_call --set tool_input.command="ls -la"';

function readPayloadFlags(line: RawLine): Result<PayloadFlags, UsageProblem> {
  const [name = ""] = line.words;
  const named = findEvent(name);
  if (named === null) return fail({ code: "USAGE_UNKNOWN_EVENT", name, nearest: nearestEvent(name) });
  const set = readPlaced(listFlag(line.flags, "--set"));
  if (set.ok) return ok({ named, set: set.value });
  const detail = `write path=value: ${EXAMPLE}`;
  return fail({ code: "USAGE_BAD_VALUE", flag: "--set", value: set.error, detail });
}

/** Prints a valid sample payload, in the dialect of the event name that was used. */
function samplePayload({ named, set }: PayloadFlags, world: World): Promise<number> {
  const sample = set.map(placedIn(named)).reduce(withValue, sampleIn(named, world.cwd));
  const payload = readPayload(named.event, jsonText(sample), world.cwd);
  if (!payload.ok) return refuse(payload.error, world);
  return print(`${textIn(named, payload.value, world)}\n`, world);
}

function textIn({ dialect }: NamedEvent, payload: Payload, world: World): string {
  const moment = envelopeExtras(payload, new Date(world.nowMs()).toISOString());
  return writeJson(rawJson(payloadText(payload, addedFor(dialect, payload, moment))));
}
