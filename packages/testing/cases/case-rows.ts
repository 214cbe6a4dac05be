import type { PathKey } from "../../../src/config/yaml.ts";
import {
  arrayOf,
  itemsOf,
  type JsonObject,
  type JsonSpan,
  membersOf,
  membersOrNone,
  objectOf,
  stringOf,
  textSpan,
} from "../../../src/protocol/json/read.ts";
import { fail, ok, type Result } from "../../../src/protocol/result.ts";
import { listNames } from "../../../src/protocol/text/text.ts";

/** A case as JSON with the values of one row; without a table the case as written. */
export interface FilledCase {
  readonly span: JsonSpan;
  /** Its row in the table; empty without a table. */
  readonly path: readonly PathKey[];
}

/** A value that a case cannot have, by its path in the case. */
export interface ValueFault {
  readonly path: readonly PathKey[];
  readonly detail: string;
}

/**
 * Returns one case for each row of `each`. `${column}` in any text of the case is replaced by the row's value; a text
 * that consists of it alone takes the value with its type. Values are not expanded again.
 */
export function fillRows(written: JsonSpan): readonly Result<FilledCase, ValueFault>[] {
  const members = membersOrNone(written);
  const each = members.get("each");
  if (each === undefined) return [ok({ span: written, path: [] })];
  const rows = each.kind === "array" ? itemsOf(each) : [];
  const wrong = rows.findIndex(({ kind }) => kind !== "object");
  if (wrong !== -1) return [fail({ path: ["each", wrong], detail: "a row must be an object: {column: value}" })];
  if (rows.length === 0) return [fail({ path: ["each"], detail: "it must be a list of rows: [{column: value}, …]" })];
  const values = rows.map((row) => membersOf(row));
  const columns = [...new Set(values.flatMap((row) => [...row.keys()]))];
  const template = [...members].filter(([key]) => key !== "each");
  const filled = values.map((row, index): Result<FilledCase, ValueFault> => {
    const missing: string[] = [];
    const path = ["each", index];
    const span = objectOf(template.map(([key, value]) => [key, fill(value, row, missing)] as const));
    const [name] = missing;
    return name === undefined ? ok({ span, path }) : fail({ path, detail: missingDetail(name, columns) });
  });
  // Rows whose cases would have the same name get their number.
  const names = filled.map((one) => (one.ok ? nameOf(one.value.span) : null));
  return filled.map((one, index) => {
    const name = names[index] ?? null;
    if (!one.ok || name === null || names.filter((other) => other === name).length === 1) return one;
    const numbered = textSpan(`${name} (row ${index + 1})`);
    return ok({ ...one.value, span: objectOf(new Map([...membersOf(one.value.span), ["name", numbered]])) });
  });
}

const missingDetail = (name: string, columns: readonly string[]): string =>
  columns.includes(name)
    ? `this row has no ${name}`
    : `there is no column ${name} (${listNames(columns)}); the text itself is written $\${${name}}`;

const COLUMN = /(\$?)\$\{([^{}]*)\}/g;
const ONLY_COLUMN = /^\$\{([^{}]*)\}$/;

/** `missing` gets the names of columns that the row does not have. */
function fill(span: JsonSpan, row: JsonObject, missing: string[]): JsonSpan {
  if (span.kind === "array") return arrayOf(itemsOf(span).map((item) => fill(item, row, missing)));
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
    return found?.kind === "string" ? stringOf(found) : (found?.raw ?? "");
  });
  return textSpan(filled);
}

function nameOf(span: JsonSpan): string | null {
  const name = membersOf(span).get("name");
  return name?.kind === "string" ? stringOf(name) : null;
}
