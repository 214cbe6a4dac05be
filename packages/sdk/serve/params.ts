import { isAbsolute } from "node:path";
import { type JsonKind, type JsonObject, type JsonSpan, membersOf, stringOf } from "../../../src/protocol/json/read.ts";
import { ProblemError } from "../../../src/protocol/result.ts";
import { nearest } from "../../../src/protocol/text/nearest.ts";
import { badRequest } from "./request.ts";

/** The value of each kind of parameter, and of one that is not given. */
interface Values {
  readonly text: string | null;
  /** Any value, as it was written. */
  readonly json: JsonSpan | null;
  readonly switch: boolean;
  readonly count: number;
  /** An absolute path. */
  readonly folder: string | null;
  readonly variables: ReadonlyMap<string, string>;
}
type Kind = keyof Values;

export type ParamRows = Readonly<Record<string, Kind>>;
export type ParamsOf<Rows extends ParamRows> = { readonly [Name in keyof Rows]: Values[Rows[Name]] };

const NOT_GIVEN: Values = { text: null, json: null, switch: false, count: 0, folder: null, variables: new Map() };

const JSON_KINDS: Readonly<Record<Kind, readonly JsonKind[]>> = {
  text: ["string"],
  json: ["object", "array", "string", "number", "boolean", "null"],
  switch: ["boolean"],
  count: ["number"],
  folder: ["string"],
  variables: ["object"],
};

/** Reads the params of a request. An unknown parameter is a problem, because the caller expects an effect of it. */
export function readParams<Rows extends ParamRows>(
  rows: Rows,
  given: JsonObject,
  required: readonly (keyof Rows & string)[],
): ParamsOf<Rows> {
  const values: Record<string, Values[Kind]> = {};
  for (const [name, kind] of Object.entries(rows)) values[name] = NOT_GIVEN[kind];
  for (const [name, span] of given) {
    const kind = Object.hasOwn(rows, name) ? rows[name] : undefined;
    if (kind === undefined) throw unknownParam(name, Object.keys(rows));
    const detail = JSON_KINDS[kind].includes(span.kind) ? faultOf(kind, span) : `it is of type ${span.kind}`;
    if (detail !== null) throw wrongParams(`params.${name}: ${detail}`);
    values[name] = readValue(kind, span);
  }
  const missing = required.find((name) => !given.has(name));
  if (missing !== undefined) throw wrongParams(`params.${missing} is missing`);
  return values as ParamsOf<Rows>;
}

export const wrongParams = (detail: string): ProblemError => new ProblemError(badRequest(detail));

function unknownParam(name: string, known: readonly string[]): ProblemError {
  const near = nearest(name, known);
  const suggestion = near === null ? "" : ` (did you mean ${near}?)`;
  return wrongParams(`${JSON.stringify(name.slice(0, 60))} is no parameter of this method${suggestion}`);
}

function faultOf(kind: Kind, span: JsonSpan): string | null {
  if (kind === "count") return /^\d{1,6}$/.test(span.raw) ? null : "it must be a whole number";
  if (kind === "folder") return isAbsolute(stringOf(span)) ? null : "it must be an absolute path";
  if (kind !== "variables") return null;
  const wrong = [...membersOf(span)].find(
    ([name, value]) => value.kind !== "string" || !isVariableName(name) || stringOf(value).includes("\0"),
  );
  return wrong === undefined ? null : `${JSON.stringify(wrong[0].slice(0, 60))} is no variable with a text`;
}

const isVariableName = (name: string): boolean => /^[^=\0]+$/.test(name);

function readValue(kind: Kind, span: JsonSpan): Values[Kind] {
  if (kind === "json") return span;
  if (kind === "switch") return span.raw === "true";
  if (kind === "count") return Number(span.raw);
  if (kind === "variables") return new Map(Array.from(membersOf(span), ([name, value]) => [name, stringOf(value)]));
  return stringOf(span);
}
