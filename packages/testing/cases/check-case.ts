import type * as z from "zod";
import { type LocatedText, readLocated } from "../../../src/config/located-text.ts";
import { issueText } from "../../../src/config/schema/config-schema.ts";
import { nearestEvent } from "../../../src/protocol/event.ts";
import {
  itemsOf,
  type JsonObject,
  type JsonSpan,
  membersOf,
  membersOrNone,
  objectOf,
  stringOf,
  textSpan,
} from "../../../src/protocol/json/read.ts";
import type { CaseProblem } from "../../../src/protocol/problem.ts";
import { fail, ok, type Result } from "../../../src/protocol/result.ts";
import { nearest } from "../../../src/protocol/text/nearest.ts";
import { listNames } from "../../../src/protocol/text/text.ts";
import { caseFrom, type FilledValues } from "./case-from.ts";
import { caseKeysAt, type FileValues, fileSchema, filledCaseSchema } from "./case-schema.ts";
import type { TestCase } from "./test-case.ts";

/** The cases of a file, and the faults of the others. */
export interface CheckedCases {
  readonly cases: readonly TestCase[];
  readonly faults: readonly CaseProblem[];
}

export type CaseFilePlace = Pick<TestCase, "file" | "isFromOthers" | "isFromPack">;

/** Parses a file of test cases. A fault in one case does not drop the others. */
export function checkCases(text: string, { file, isFromOthers, isFromPack }: CaseFilePlace): CheckedCases {
  const located = readLocated(text, file);
  if (!located.ok) return { cases: [], faults: [{ code: "CASE_NOT_PARSED", file, ...located.error }] };
  const { value, lineOf } = located.value;
  const checked = fileSchema.safeParse(JSON.parse(value.raw), { reportInput: true });
  if (!checked.success) return { cases: [], faults: [faultOf(checked.error, [], { file, lineOf })] };
  const written = itemsOf(membersOf(value).get("cases") ?? NOTHING);
  const results = written.flatMap((one, index) =>
    checkCase(one, index, { file, isFromOthers, isFromPack, lineOf, shared: checked.data }),
  );
  return withoutNamesakes(results, file);
}

const NOTHING: JsonSpan = { kind: "array", raw: "[]" };

interface CaseFile extends CaseFilePlace, Pick<LocatedText, "lineOf"> {
  readonly shared: FileValues;
}

/** A case with a table has one result for each row. */
function checkCase(written: JsonSpan, index: number, from: CaseFile): readonly Result<TestCase, CaseProblem>[] {
  const path = ["cases", index];
  return fillRows(written).map((filled) => {
    if (filled.ok) return checkFilled(filled.value, path, from);
    const { row, place, detail } = filled.error;
    const line = from.lineOf([...path, "each", ...(row === null ? [] : [row])]);
    return fail({ code: "CASE_BAD_VALUE", file: from.file, line, place: `${placeOf(path)}${place}`, detail });
  });
}

function checkFilled(
  { span, row }: FilledCase,
  path: readonly (string | number)[],
  { file, isFromOthers, isFromPack, lineOf, shared }: CaseFile,
): Result<TestCase, CaseProblem> {
  const checked = filledCaseSchema.safeParse(JSON.parse(span.raw), { reportInput: true });
  if (!checked.success) return fail(faultOf(checked.error, path, { file, lineOf }));
  const values: FilledValues = { checked: checked.data, span, shared };
  const made = caseFrom(values, {
    file,
    isFromOthers,
    isFromPack,
    line: lineOf(row === null ? path : [...path, "each", row]),
  });
  if (made.ok) return made;
  const whole = [...path, ...made.error.path];
  return fail({
    code: "CASE_BAD_VALUE",
    file,
    line: lineOf(whole),
    place: placeOf(whole),
    detail: made.error.detail,
  });
}

/** Case names are unique in a file: `--only` and snapshots identify a case by its name. */
function withoutNamesakes(results: readonly Result<TestCase, CaseProblem>[], file: string): CheckedCases {
  const all = results.flatMap((result) => (result.ok ? [result.value] : []));
  const first = new Map(all.toReversed().map((one) => [one.name, one]));
  const namesakes = all.filter((one) => first.get(one.name) !== one);
  const faults = [
    ...results.flatMap((result) => (result.ok ? [] : [result.error])),
    ...namesakes.map(({ name, line }): CaseProblem => {
      const detail = `the case in line ${first.get(name)?.line} has it, too`;
      return { code: "CASE_BAD_VALUE", file, line, place: `the name “${name}”`, detail };
    }),
  ];
  // Rows often share a fault of their case.
  const different = new Map(faults.map((fault) => [JSON.stringify(fault), fault]));
  return { cases: all.filter((one) => first.get(one.name) === one), faults: [...different.values()] };
}

function faultOf(
  error: z.ZodError,
  path: readonly (string | number)[],
  { file, lineOf }: Pick<CaseFile, "file" | "lineOf">,
): CaseProblem {
  // Unrecognized keys first, because a misspelt key is also reported as missing.
  const issue = error.issues.find(({ code }) => code === "unrecognized_keys") ?? error.issues[0];
  const own = (issue?.path ?? []).map((key) => (typeof key === "symbol" ? String(key) : key));
  const whole = [...path, ...own];
  const place = whole.length === 0 ? "the file" : placeOf(whole);
  if (issue?.code === "unrecognized_keys") {
    const key = issue.keys[0] ?? "";
    const line = lineOf([...whole, key]);
    return { code: "CASE_UNKNOWN_KEY", file, line, place, key, nearest: nearest(key, caseKeysAt(whole)) };
  }
  return { code: "CASE_BAD_VALUE", file, line: lineOf(whole), place, detail: detailOf(issue) };
}

/** `cases[1].expect.decision` */
const placeOf = (path: readonly (string | number)[]): string =>
  path
    .map((key) => (typeof key === "number" ? `[${key}]` : `.${key}`))
    .join("")
    .slice(1);

/** There are too many event names to list them all. */
function detailOf(issue: z.core.$ZodIssue | undefined): string {
  if (issue?.path.at(-1) !== "event") return issueText(issue);
  const near = typeof issue.input === "string" ? nearestEvent(issue.input) : null;
  return `it is not the name of an event${near === null ? "" : `. Did you mean ${near}?`}`;
}

/** A case as JSON with the values of one row; without a table the case as written. */
interface FilledCase {
  readonly span: JsonSpan;
  /** The index of its row in `each`; null without a table. */
  readonly row: number | null;
}

/** `place`: below the case, such as `.each[1]`. */
interface RowFault {
  readonly row: number | null;
  readonly place: string;
  readonly detail: string;
}

/**
 * Returns one case for each row of `each`. `${column}` in any text of the case is replaced by the row's value; a text
 * that consists of it alone takes the value with its type. Values are not expanded again.
 */
export function fillRows(written: JsonSpan): readonly Result<FilledCase, RowFault>[] {
  const members = membersOrNone(written);
  const each = members.get("each");
  if (each === undefined) return [ok({ span: written, row: null })];
  const rows = each.kind === "array" ? itemsOf(each) : [];
  const wrong = rows.findIndex(({ kind }) => kind !== "object");
  if (rows.length === 0 || wrong !== -1) {
    const place = wrong === -1 ? ".each" : `.each[${wrong}]`;
    const detail = wrong === -1 ? "it is a list of rows: [{column: value}, …]" : "a row is an object: {column: value}";
    return [fail({ row: null, place, detail })];
  }
  const values = rows.map((row) => membersOf(row));
  const columns = [...new Set(values.flatMap((row) => [...row.keys()]))];
  const template = [...members].filter(([key]) => key !== "each");
  const filled = values.map((row, index): Result<FilledCase, RowFault> => {
    const missing: string[] = [];
    const span = objectOf(template.map(([key, value]) => [key, fill(value, row, missing)] as const));
    const [name] = missing;
    return name === undefined
      ? ok({ span, row: index })
      : fail({ row: index, place: `.each[${index}]`, detail: missingDetail(name, columns) });
  });
  return withOwnNames(filled);
}

const missingDetail = (name: string, columns: readonly string[]): string =>
  columns.includes(name)
    ? `this row has no ${name}`
    : `there is no column ${name} (${listNames(columns)}); the text itself is written $\${${name}}`;

const COLUMN = /(\$?)\$\{([^{}]*)\}/g;
const ONLY_COLUMN = /^\$\{([^{}]*)\}$/;

/** `missing` gets the names of columns that the row does not have. */
function fill(span: JsonSpan, row: JsonObject, missing: string[]): JsonSpan {
  if (span.kind === "array")
    return { kind: "array", raw: `[${itemsOf(span).map((item) => fill(item, row, missing).raw)}]` };
  if (span.kind === "object")
    return objectOf([...membersOf(span)].map(([key, value]) => [key, fill(value, row, missing)] as const));
  if (span.kind !== "string" || !span.raw.includes("${")) return span;
  const text = stringOf(span);
  const only = ONLY_COLUMN.exec(text)?.[1];
  const value = only === undefined ? undefined : row.get(only);
  if (value !== undefined) return value;
  const filled = text.replace(COLUMN, (_whole, dollar: string, name: string) => {
    if (dollar !== "") return `\${${name}}`;
    const found = row.get(name);
    if (found === undefined) missing.push(name);
    return found === undefined ? "" : textOfValue(found);
  });
  return textSpan(filled);
}

const textOfValue = (value: JsonSpan): string => (value.kind === "string" ? stringOf(value) : value.raw);

/** Rows whose cases would have the same name get their number. */
function withOwnNames(filled: readonly Result<FilledCase, RowFault>[]): readonly Result<FilledCase, RowFault>[] {
  const names = filled.map((one) => (one.ok ? nameOf(one.value.span) : null));
  return filled.map((one, index) => {
    const name = names[index] ?? null;
    if (!one.ok || name === null || names.filter((other) => other === name).length === 1) return one;
    const numbered = textSpan(`${name} (row ${index + 1})`);
    return ok({ ...one.value, span: objectOf(new Map([...membersOf(one.value.span), ["name", numbered]])) });
  });
}

function nameOf(span: JsonSpan): string | null {
  const name = membersOf(span).get("name");
  return name?.kind === "string" ? stringOf(name) : null;
}
