import { itemsOf, type JsonSpan, membersOf, stringOf } from "../../src/protocol/json/read.ts";
import { fail, ok, type Result } from "../../src/protocol/result.ts";
import { RenderError, TemplateSyntaxError } from "./faults.ts";
import { globalScope } from "./run/globals.ts";
import { Interpreter } from "./run/interpreter.ts";
import { Environment } from "./run/scope.ts";
import type { Template } from "./syntax/nodes.ts";
import { parse } from "./syntax/parse.ts";
import { Dict } from "./values/dict.ts";
import { MOST_DIGITS } from "./values/text.ts";
import type { Value } from "./values/value.ts";

/** Why a template cannot be compiled: `line 2: there is no filter "shout"`. */
export type CompileFault = string;

/** Parses a template and checks the names of its filters and tests, as Jinja2 does when it compiles one. Runs nothing. */
export function compileTemplate(text: string): Result<Template, CompileFault> {
  try {
    return ok(parse(text));
  } catch (error) {
    if (error instanceof TemplateSyntaxError) return fail(`line ${error.line}: ${error.message}`);
    // A macro of tens of thousands of operators in a row: its tree is deeper than the stack.
    if (error instanceof RangeError) return fail("line 1: it is nested too deeply");
    throw error;
  }
}

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
    const payload = globalScope(new Environment(isStrict, random)).inner(values);
    return ok(new Interpreter(compiled.value, payload).run());
  } catch (error) {
    if (error instanceof RenderError) return fail(error.message);
    // The stack or the memory for one text is used up.
    if (error instanceof RangeError) return fail("it is nested too deeply or grows too long");
    throw error;
  }
}

/** A value that is nested more deeply stays JSON text. */
const MOST_LEVELS = 512;

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
