import { type EventName, findEvent, type NamedEvent, nearestEvent } from "../protocol/event.ts";
import type { UsageProblem } from "../protocol/problem.ts";
import { fail, ok, type Result } from "../protocol/result.ts";
import { nearest } from "../protocol/text/nearest.ts";
import { parseDuration } from "../protocol/text/units.ts";
import { readTime, type TimeOption } from "./time-option.ts";

interface OptionText {
  readonly name: `--${string}`;
  readonly short?: `-${string}`;
  readonly about: string;
}

/**
 * Where the values of an option or argument come from, for completion in a shell; a list names them all. `agent event`: the
 * agent's own names; `field` and `report`: a name before `=`.
 */
export type ValueSource =
  | "event"
  | "agent event"
  | "hook"
  | "guard"
  | "adoptable agent"
  | "run"
  | "session"
  | "pack"
  | "field"
  | "report"
  | "file"
  | "folder"
  | readonly string[];

interface OpenValue {
  readonly placeholder: string;
  readonly values?: readonly ValueSource[];
}

/** One option: its spelling, its help text and, by `kind`, the type of its value. */
export type OptionRow = OptionText &
  (
    | { readonly kind: "switch" | "negation" | "count" }
    | ({ readonly kind: "text" } & OpenValue)
    | ({ readonly kind: "list"; readonly isCommaSeparated?: true } & OpenValue)
    | { readonly kind: "duration"; readonly placeholder: string; readonly endless?: string }
    | { readonly kind: "time" | "event"; readonly placeholder: string }
    | { readonly kind: "number"; readonly placeholder: string; readonly most: number }
    | { readonly kind: "choice"; readonly placeholder: string; readonly choices: readonly string[] }
  );

/** The options of a command; the key is the name of the property that commands read. */
export type OptionRows = Readonly<Record<string, OptionRow>>;

interface ValueTypes {
  /** True if it is given. */
  readonly switch: boolean;
  /** False if it is given. */
  readonly negation: boolean;
  /** How many times it is given. */
  readonly count: number;
  /** The last value; null if the option is not given. The same holds for a duration in milliseconds, a number, an event and a choice. */
  readonly text: string | null;
  readonly list: readonly string[];
  readonly duration: number | null;
  /** A moment or a day, in the past as a rule. */
  readonly time: TimeOption | null;
  readonly number: number | null;
  readonly event: EventName | null;
}

/** The type of an option's value, from its row. */
export type ValueOf<Row extends OptionRow> = Row extends { kind: "choice"; choices: readonly (infer Choice)[] }
  ? Choice | null
  : Row["kind"] extends keyof ValueTypes
    ? ValueTypes[Row["kind"]]
    : never;

export type ValuesOf<Rows extends OptionRows> = { readonly [Key in keyof Rows]: ValueOf<Rows[Key]> };

/** The values of options that were not given, for a command that calls another. */
export const unsetOptions = <Rows extends OptionRows>(rows: Rows): ValuesOf<Rows> =>
  Object.fromEntries(Object.entries(rows).map(([key, row]) => [key, NOT_GIVEN[row.kind]])) as ValuesOf<Rows>;

type AnyValue = ValueTypes[keyof ValueTypes];

/** Reads the values of all options, given or not. The first one that cannot be read is the problem. */
export function readOptions<Rows extends OptionRows>(
  rows: Rows,
  given: ReadonlyMap<OptionRow, readonly string[]>,
): Result<ValuesOf<Rows>, UsageProblem> {
  const values: Record<string, AnyValue> = {};
  for (const [key, row] of Object.entries(rows)) {
    const texts = given.get(row);
    const value = texts === undefined ? null : readOption(row, texts);
    if (value?.ok === false) return value;
    values[key] = value === null ? NOT_GIVEN[row.kind] : value.value;
  }
  return { ok: true, value: values as ValuesOf<Rows> };
}

const NOT_GIVEN: Readonly<Record<OptionRow["kind"], AnyValue>> = {
  switch: false,
  negation: true,
  count: 0,
  list: [],
  text: null,
  duration: null,
  time: null,
  number: null,
  event: null,
  choice: null,
};

function readOption(row: OptionRow, texts: readonly string[]): Result<AnyValue, UsageProblem> {
  if (row.kind === "switch" || row.kind === "negation") return ok(row.kind === "switch");
  if (row.kind === "count") return ok(texts.length);
  if (row.kind === "list") return ok(texts);
  const text = texts.at(-1) ?? "";
  if (row.kind === "event") return readEvent(text);
  if (row.kind === "choice") return readChoice(row.name, row.choices, text);
  if (row.kind === "number") return readNumber(row.name, row.most, text);
  if (row.kind === "duration" && text === row.endless) return ok(Number.POSITIVE_INFINITY);
  const orElse = row.kind === "duration" && row.endless !== undefined ? `, or ${row.endless}` : "";
  if (row.kind === "time") return withOption(row.name, text, readTime(text));
  return row.kind === "duration" ? withOption(row.name, text, parseDuration(text, orElse)) : ok(text);
}

/** The value, or the problem with the name of its option. */
function withOption<T>(flag: string, value: string, read: Result<T, string>): Result<T, UsageProblem> {
  return read.ok ? read : fail({ code: "USAGE_BAD_VALUE", flag, value, detail: read.error });
}

function readNumber(name: string, most: number, text: string): Result<number, UsageProblem> {
  const number = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  if (number >= 1 && number <= most) return ok(number);
  return fail({ code: "USAGE_BAD_VALUE", flag: name, value: text, detail: `it must be an integer from 1 to ${most}` });
}

function readChoice(name: string, choices: readonly string[], text: string): Result<string, UsageProblem> {
  if (choices.includes(text)) return ok(text);
  const near = nearest(text, choices);
  const detail = `it must be one of ${choices.join(", ")}${near === null ? "" : `; did you mean ${near}?`}`;
  return fail({ code: "USAGE_BAD_VALUE", flag: name, value: text, detail });
}

export function readNamedEvent(name: string): Result<NamedEvent, UsageProblem> {
  const found = findEvent(name);
  return found === null ? fail({ code: "USAGE_UNKNOWN_EVENT", name, nearest: nearestEvent(name) }) : ok(found);
}

function readEvent(name: string): Result<EventName, UsageProblem> {
  const named = readNamedEvent(name);
  return named.ok ? ok(named.value.event) : named;
}
