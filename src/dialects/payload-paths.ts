import {
  canonicalField,
  DIALECT_NAMES,
  type DialectName,
  EVENT_ROWS,
  fieldsOf,
  type NamedEvent,
} from "../protocol/event.ts";
import type { Match } from "../protocol/hook.ts";
import { type JsonObject, type JsonSpan, membersOf, objectOf, spanOfRaw } from "../protocol/json/read.ts";
import { jsonText } from "../protocol/json/write.ts";
import { ownValue } from "../protocol/own-value.ts";
import type { SampleValue } from "../protocol/payload/field.ts";
import {
  isSampleObject,
  type PathValue,
  type SampleObject,
  samplePayload,
  withValue,
} from "../protocol/payload/sample.ts";
import type { UsageProblem } from "../protocol/problem.ts";
import { fail, ok, type Result } from "../protocol/result.ts";
import { nearest } from "../protocol/text/nearest.ts";
import { portableArguments, portableToolNamed, sampleInputOf, toolTaking } from "../protocol/tools/vocabulary.ts";
import { DIALECTS, envelopeReader } from "./dialects.ts";

type Path = PathValue[0];
type UnknownPath = Extract<UsageProblem, { readonly code: "USAGE_UNKNOWN_PATH" }>;

const INPUT = "tool_input";

/** A hook for which a sample is made. */
type SampledHook = { readonly cwd: string; readonly match: Match | null };

/** A sample payload with these values, which may have the dialect's field names. Fails on a path that no payload has. */
export function sampleWithValues(
  named: NamedEvent,
  set: readonly PathValue[],
  hook: SampledHook,
): Result<SampleObject, UnknownPath> {
  const values = set.map(([path, value]): PathValue => [canonicalPath(named, path), value]);
  const paths = set.map(([path]) => path);
  const said = toolNameIn(values.reduce(withValue, {}));
  const sample =
    said === ""
      ? sampleForHook(named, hook, (tool) => firstUnknown(named, paths, tool) === null)
      : sampleForTool(dialectSample(named, hook.cwd), said);
  const unknown = firstUnknown(named, paths, toolNameIn(values.reduce(withValue, sample)));
  return unknown === null ? ok(values.reduce(withValue, sample)) : fail(unknown);
}

/** The default sample, or, if the given values do not fit its tool, a sample of the tool that the hook's `match` names. */
export function sampleForHook(
  named: NamedEvent,
  { cwd, match }: SampledHook,
  isFitting: (tool: string) => boolean,
): SampleObject {
  const sample = dialectSample(named, cwd);
  const byDefault = toolNameIn(sample);
  const other = toolOfMatch(match);
  return other !== null && !isFitting(byDefault) ? sampleForTool(sample, other) : sample;
}

/** The problem with a path that no payload of this event has in a call of this tool, with the nearest path; null if it is known. */
export function findUnknownPath(named: NamedEvent, path: Path, tool: string): UnknownPath | null {
  if (isKnown(named, path, tool)) return null;
  const taken = path[0] === INPUT ? portableArguments(tool) : null;
  return {
    code: "USAGE_UNKNOWN_PATH",
    event: named.event,
    path: path.join("."),
    nearest: nearestPath(named, path, tool),
    tool: taken === null ? null : { name: tool, takes: [...taken.keys()] },
    otherTool: toolTaking(path.at(-1) ?? ""),
  };
}

/** The first path of a partial payload that no payload of this event has; null if all are known. */
export function findUnknownField(named: NamedEvent, members: JsonObject, tool: string): UnknownPath | null {
  const paths = [...members].flatMap(([field, value]) => {
    const inner = field === INPUT && value.kind === "object" ? [...membersOf(value).keys()] : [];
    return [[field], ...inner.map((name) => [field, name])];
  });
  return firstUnknown(named, paths, tool);
}

function firstUnknown(named: NamedEvent, paths: readonly Path[], tool: string): UnknownPath | null {
  for (const path of paths) {
    const unknown = findUnknownPath(named, canonicalPath(named, path), tool);
    if (unknown !== null) return { ...unknown, path: path.join(".") };
  }
  return null;
}

function isKnown(named: NamedEvent, [first = "", second, ...deeper]: Path, tool: string): boolean {
  const field = ownValue(fieldsOf(named.event), first);
  if (field === undefined) return isDialectField(named, first);
  if (second === undefined) return true;
  if (field.kind !== "json" && field.kind !== "object") return false;
  const taken = first === INPUT ? portableArguments(tool) : null;
  const argument = taken?.get(second);
  if (taken !== null) return deeper.length === 0 ? argument !== undefined : argument === "object";
  // Agents send different fields here, so only a misspelt field of the sample is rejected.
  const names = namesIn(field.sample);
  return first === INPUT || deeper.length > 0 || names.includes(second) || nearest(second, names) === null;
}

/** A known tool has its own arguments in its sample, in place of those of the event's sample. */
function sampleForTool(sample: SampleObject, tool: string): SampleObject {
  if (!Object.hasOwn(sample, "tool_name") || tool === toolNameIn(sample)) return sample;
  const input = Object.hasOwn(sample, INPUT) ? sampleInputOf(tool) : null;
  const { tool_kind: _kind, tool_names: _names, ...others } = sample;
  return { ...others, tool_name: tool, ...(input === null ? {} : { [INPUT]: input }) };
}

/** The first tool that a `match` names in full. */
function toolOfMatch(match: Match | null): string | null {
  const wanted = match?.tool_name ?? match?.toolName ?? [];
  const name = [wanted].flat().find((one) => !/[*?!]/.test(one));
  return name === undefined ? null : (portableToolNamed(name) ?? name);
}

const toolNameIn = ({ tool_name }: SampleObject): string => (typeof tool_name === "string" ? tool_name : "");

/** Fields that a bridge adds to the payload of any event. */
const OF_BRIDGES = ["native", "tool_files", "agent"];

function isDialectField({ event, dialect }: NamedEvent, name: string): boolean {
  const { envelope, extraFields, sample = {} } = DIALECTS[dialect];
  const tables = [envelope.fields, extraFields, sample, EVENT_ROWS[event].fieldNames?.[dialect] ?? {}];
  return OF_BRIDGES.includes(name) || tables.some((table) => Object.hasOwn(table, name));
}

/**
 * The most similar known path: inside the field with which the path begins, else by the whole text, else by the last
 * name, so that `command` finds `tool_input.command`.
 */
function nearestPath(named: NamedEvent, path: Path, tool: string): string | null {
  const known = knownPaths(named, tool);
  const ownName = portablePath(named, path);
  const [first = "", ...rest] = ownName;
  const last = path.at(-1) ?? "";
  if (known.includes(ownName.join("."))) return ownName.join(".");
  if (known.includes(first)) return nearestInside(first, rest, known);
  const whole = nearest(path.join("."), known);
  if (whole !== null) return whole;
  if (known.includes(INPUT) && toolTaking(last) !== null) return `${INPUT}.${last}`;
  const name = nearest(last, known.map(lastName));
  return known.find((one) => lastName(one) === name) ?? null;
}

function nearestInside(field: string, [argument = "", ...deeper]: Path, known: readonly string[]): string | null {
  const inside = known.filter((one) => one.startsWith(`${field}.`)).map(lastName);
  if (inside.length === 0) return field;
  if (deeper.length > 0 && inside.includes(argument)) return `${field}.${argument}`;
  const name = toolTaking(argument) === null || field !== INPUT ? nearest(argument, inside) : null;
  return name === null ? null : `${field}.${name}`;
}

/** The path with hookctl's names, whichever dialect it has them from. */
function portablePath(named: NamedEvent, path: Path): Path {
  const paths = [named.dialect, ...DIALECT_NAMES].map((dialect) => canonicalPath({ ...named, dialect }, path));
  return paths.find(([first = ""]) => Object.hasOwn(fieldsOf(named.event), first)) ?? path;
}

const lastName = (path: string): string => path.slice(path.indexOf(".") + 1);

function knownPaths({ event }: NamedEvent, tool: string): readonly string[] {
  return Object.entries(fieldsOf(event)).flatMap(([name, field]) => {
    const names = (name === INPUT ? portableArguments(tool)?.keys() : null) ?? namesIn(field.sample);
    return [name, ...[...names].map((inner) => `${name}.${inner}`)];
  });
}

const namesIn = (sample: SampleValue): readonly string[] => (isSampleObject(sample) ? Object.keys(sample) : []);

/** Converts a path to hookctl's names: AgentHook's `args.command` is `tool_input.command`, Base Coat's `tool.name` is `tool_name`. */
function canonicalPath(named: NamedEvent, path: Path): Path {
  for (const depth of path.keys()) {
    const found = canonicalPathIn(named.dialect, path.slice(0, depth + 1));
    if (found !== null) return [...found, ...path.slice(depth + 1)];
  }
  const [key = "", ...rest] = path;
  return [canonicalField(named, key), ...rest];
}

const MARK = "\u0000";
const isMark = (span: JsonSpan | undefined): boolean => span?.raw === jsonText(MARK);

/** Puts a marker at the path of an envelope, and finds the field that the dialect reads it into. */
function canonicalPathIn(dialect: DialectName, path: Path): Path | null {
  const envelope = membersOf(spanOfRaw(jsonText(withValue({}, [path, MARK]))));
  for (const [key, read] of Object.entries(DIALECTS[dialect].envelope.fields)) {
    const span = read(envelope);
    if (isMark(span)) return [key];
    const inner = span?.kind === "object" ? [...membersOf(span)].find(([, member]) => isMark(member)) : undefined;
    if (inner !== undefined) return [key, inner[0]];
  }
  return null;
}

/** A valid payload of an event for a hook of this dialect, with the dialect's own fields. */
export const dialectSample = ({ event, dialect }: NamedEvent, cwd: string): SampleObject => ({
  ...samplePayload(event, cwd),
  ...DIALECTS[dialect].sample,
});

/** A sample as JSON text with the caller's fields, which may have the names of the event's dialect. */
export function sampleWith(sample: SampleObject, own: JsonObject, { event, dialect }: NamedEvent): string {
  const fields = Object.entries(sample).map(([key, value]) => [key, spanOfRaw(jsonText(value))] as const);
  const ours = envelopeReader(dialect)(own, event);
  return objectOf(new Map([...fields, ...(ours.ok ? ours.value : own)])).raw;
}
