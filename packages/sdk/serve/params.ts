import { isAbsolute } from "node:path";
import { type JsonKind, type JsonObject, type JsonSpan, membersOf, stringOf } from "../../../src/protocol/json/read.ts";
import { ProblemError } from "../../../src/protocol/result.ts";
import { nearest } from "../../../src/protocol/text/nearest.ts";
import { badRequest } from "./json-rpc.ts";

/** How a kind of parameter is read. `fault` says what is wrong with a value, `missing` is the value if it is not given. */
interface Kind<T, Missing> {
  readonly json?: JsonKind;
  readonly read: (span: JsonSpan) => T;
  readonly fault?: (span: JsonSpan) => string | null;
  readonly missing: Missing;
}
const kind = <T, Missing>(row: Kind<T, Missing>): Kind<T, Missing> => row;

const KINDS = {
  text: kind({ json: "string", read: stringOf, missing: null }),
  /** Any value, as it was written. */
  json: kind({ read: (span) => span, missing: null }),
  switch: kind({ json: "boolean", read: ({ raw }) => raw === "true", missing: false }),
  count: kind({
    json: "number",
    read: ({ raw }) => Number(raw),
    fault: ({ raw }) => (/^\d{1,6}$/.test(raw) ? null : "it must be a whole number"),
    missing: 0,
  }),
  folder: kind({
    json: "string",
    read: stringOf,
    fault: (span) => (isAbsolute(stringOf(span)) ? null : "it must be an absolute path"),
    missing: null,
  }),
  variables: kind({
    json: "object",
    read: (span) => new Map(Array.from(membersOf(span), ([name, value]) => [name, stringOf(value)])),
    fault: variablesFault,
    missing: new Map<string, string>(),
  }),
} as const;

function variablesFault(span: JsonSpan): string | null {
  const wrong = [...membersOf(span)].find(
    ([name, value]) => value.kind !== "string" || !/^[^=\0]+$/.test(name) || stringOf(value).includes("\0"),
  );
  return wrong === undefined ? null : `${JSON.stringify(wrong[0].slice(0, 60))} is not a variable with a text`;
}

export type ParamRows = Readonly<Record<string, keyof typeof KINDS>>;
type ValueOf<K> = K extends Kind<infer T, infer Missing> ? T | Missing : never;
export type ParamsOf<Rows extends ParamRows> = { readonly [Name in keyof Rows]: ValueOf<(typeof KINDS)[Rows[Name]]> };

/** Reads the params of a request. An unknown parameter is a problem, because the caller expects an effect of it. */
export function readParams<Rows extends ParamRows>(
  rows: Rows,
  given: JsonObject,
  required: readonly (keyof Rows & string)[],
): ParamsOf<Rows> {
  const stray = [...given.keys()].find((name) => !Object.hasOwn(rows, name));
  if (stray !== undefined) throw unknownParam(stray, Object.keys(rows));
  const values = Object.entries(rows).map(([name, row]) => [name, readParam(name, KINDS[row], given.get(name))]);
  const missing = required.find((name) => !given.has(name));
  if (missing !== undefined) throw wrongParams(`params.${missing} is missing`);
  return Object.fromEntries(values) as ParamsOf<Rows>;
}

function readParam(name: string, { json, read, fault, missing }: Kind<unknown, unknown>, span?: JsonSpan): unknown {
  if (span === undefined) return missing;
  const isFit = json === undefined || json === span.kind;
  const detail = isFit ? (fault?.(span) ?? null) : `it is of type ${span.kind}`;
  if (detail !== null) throw wrongParams(`params.${name}: ${detail}`);
  return read(span);
}

export const wrongParams = (detail: string): ProblemError => new ProblemError(badRequest(detail));

function unknownParam(name: string, known: readonly string[]): ProblemError {
  const near = nearest(name, known);
  const suggestion = near === null ? "" : ` (did you mean ${near}?)`;
  return wrongParams(`${JSON.stringify(name.slice(0, 60))} is not a parameter of this method${suggestion}`);
}
