import { itemsOf, type JsonObject, type JsonSpan, membersOf, objectOf, stringOf } from "../../protocol/json/read.ts";
import { fail, ok, type Result } from "../../protocol/result.ts";
import { listNames } from "../../protocol/text/text.ts";

/** A case as JSON in which the values of one row stand; without a table it is the case as written. */
export interface FilledCase {
  readonly span: JsonSpan;
  /** The index of its row in `each`; null without a table. */
  readonly row: number | null;
}

/** `place`: below the case, such as `.each[1]`. */
export interface RowFault {
  readonly row: number | null;
  readonly place: string;
  readonly detail: string;
}

/**
 * One case for each row of `each`. `${column}` in any text of the case becomes the value of the row; a text that is nothing
 * else takes the value with its type. Values are put in as they are: what looks like `${column}` in one stays text.
 */
export function fillRows(written: JsonSpan): readonly Result<FilledCase, RowFault>[] {
  const members = written.kind === "object" ? membersOf(written) : new Map<string, JsonSpan>();
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
  return { kind: "string", raw: JSON.stringify(filled) };
}

const textOfValue = (value: JsonSpan): string => (value.kind === "string" ? stringOf(value) : value.raw);

/** Rows whose cases would have the same name get their number. */
function withOwnNames(filled: readonly Result<FilledCase, RowFault>[]): readonly Result<FilledCase, RowFault>[] {
  const names = filled.map((one) => (one.ok ? nameOf(one.value.span) : null));
  return filled.map((one, index) => {
    const name = names[index] ?? null;
    if (!one.ok || name === null || names.filter((other) => other === name).length === 1) return one;
    const numbered = { kind: "string", raw: JSON.stringify(`${name} (row ${index + 1})`) } as const;
    return ok({ ...one.value, span: objectOf(new Map([...membersOf(one.value.span), ["name", numbered]])) });
  });
}

function nameOf(span: JsonSpan): string | null {
  const name = membersOf(span).get("name");
  return name?.kind === "string" ? stringOf(name) : null;
}
