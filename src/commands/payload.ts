import { findEvent, type NamedEvent, nearestEvent } from "../contract/event.ts";
import { type JsonOut, jsonText, rawJson, writeJson } from "../contract/json-text.ts";
import { type Payload, payloadText, readPayload } from "../contract/payload.ts";
import type { UsageProblem } from "../contract/problem.ts";
import { fail, ok, type Result } from "../contract/result.ts";
import { type SampleObject, sampleOf } from "../contract/sample.ts";
import { addedFor } from "../dialects/dialects.ts";
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
  readonly set: readonly (readonly [path: readonly string[], value: JsonOut])[];
}

const EXAMPLE = 'hookctl payload before_tool_call --set tool_input.command="ls -la"';

function readPayloadFlags(line: RawLine): Result<PayloadFlags, UsageProblem> {
  const [name = ""] = line.words;
  const named = findEvent(name);
  if (named === null) return fail({ code: "USAGE_UNKNOWN_EVENT", name, nearest: nearestEvent(name) });
  const set: (readonly [readonly string[], JsonOut])[] = [];
  for (const text of listFlag(line.flags, "--set")) {
    const equals = text.indexOf("=");
    if (equals < 1)
      return fail({ code: "USAGE_BAD_VALUE", flag: "--set", value: text, detail: `write path=value: ${EXAMPLE}` });
    set.push([text.slice(0, equals).split("."), parsedOrText(text.slice(equals + 1))]);
  }
  return ok({ named, set });
}

/** Prints a valid sample payload, in the dialect of the event name that was used. */
function samplePayload({ named, set }: PayloadFlags, world: World): Promise<number> {
  const sample = set.reduce(
    (before, [path, value]) => withValue(before, path, value),
    sampleOf(named.event, world.cwd),
  );
  const payload = readPayload(named.event, jsonText(sample), world.cwd);
  if (!payload.ok) return refuse(payload.error, world);
  return print(`${textIn(named, payload.value, world)}\n`, world);
}

function textIn({ dialect }: NamedEvent, payload: Payload, world: World): string {
  const moment = { isoTime: new Date(world.nowMs()).toISOString() };
  return writeJson(rawJson(payloadText(payload, addedFor(dialect, payload, moment))));
}

function withValue(object: SampleObject, [key = "", ...rest]: readonly string[], value: JsonOut): SampleObject {
  if (rest.length === 0) return { ...object, [key]: value };
  const inner = Object.hasOwn(object, key) ? object[key] : undefined;
  return { ...object, [key]: withValue(isObject(inner) ? inner : {}, rest, value) };
}

const isObject = (value: JsonOut | undefined): value is SampleObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** A value is JSON if it parses, else text. A number keeps its digits, also where JavaScript would round it. */
function parsedOrText(text: string): JsonOut {
  try {
    const value = JSON.parse(text) as JsonOut;
    return typeof value === "number" && String(value) !== text ? rawJson(text) : value;
  } catch {
    return text;
  }
}
