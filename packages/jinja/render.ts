import { itemsOf, type JsonSpan, membersOf, stringOf } from "../../src/protocol/json/read.ts";
import { fail, ok, type Result } from "../../src/protocol/result.ts";
import { compileTemplate } from "./compile.ts";
import { RenderError } from "./faults.ts";
import { FILTERS } from "./filters/filters.ts";
import { Interpreter } from "./run/interpreter.ts";
import { Environment, globalScope, Scope } from "./run/scope.ts";
import { Dict } from "./values/dict.ts";
import type { Value } from "./values/value.ts";

interface RenderOptions {
  /** The variables of the template. It can reach nothing else of the process. */
  readonly values: Iterable<readonly [string, Value]>;
  /** True if an undefined variable is an error; otherwise it prints as empty text. */
  readonly isStrict: boolean;
  /** Returns a number from 0 up to 1, for the filter `random`. */
  readonly random: () => number;
}

/** Renders a Jinja2 template with these values, or returns the error. */
export function renderTemplate(template: string, { values, isStrict, random }: RenderOptions): Result<string, string> {
  const compiled = compileTemplate(template);
  if (!compiled.ok) return compiled;
  try {
    const payload = new Scope(globalScope(), values);
    return ok(
      new Interpreter(
        new Environment({ isStrict, random, isFilter: (name) => FILTERS.has(name) }),
        compiled.value,
        payload,
      ).run(),
    );
  } catch (error) {
    if (error instanceof RenderError) return fail(error.message);
    // The stack or the memory for one text is used up.
    if (error instanceof RangeError) return fail("it is nested too deeply or grows too long");
    throw error;
  }
}

/** A value that is nested more deeply stays JSON text. */
const MOST_LEVELS = 512;
/** Python refuses to read an int with more digits. */
const MOST_DIGITS = 4300;

/** A JSON value as Python reads it: `1` is an int of any size, `1.0` and `1e2` are floats. */
export function fromJson(span: JsonSpan, depth = 0): Value {
  if (depth > MOST_LEVELS) return span.raw;
  switch (span.kind) {
    case "object":
      return new Dict([...membersOf(span)].map(([key, value]) => [key, fromJson(value, depth + 1)] as const));
    case "array":
      return itemsOf(span).map((item) => fromJson(item, depth + 1));
    case "string":
      return stringOf(span);
    case "number":
      return numberOf(span.raw);
    case "boolean":
      return span.raw === "true";
    case "null":
      return null;
  }
}

function numberOf(raw: string): Value {
  if (!/^-?\d+$/.test(raw)) return Number(raw);
  return raw.length > MOST_DIGITS ? raw : BigInt(raw);
}
