import { fail, ok, type Result } from "../protocol/result.ts";
import { compileTemplate } from "./compile.ts";
import { RenderError } from "./faults.ts";
import { Environment } from "./run/environment.ts";
import { Interpreter } from "./run/interpreter.ts";
import { globalScope, Scope } from "./run/scope.ts";
import type { Value } from "./values/value.ts";

export interface RenderOptions {
  /** What the template may name: only this, nothing of the process around it. */
  readonly values: Iterable<readonly [string, Value]>;
  /** A name that stands for nothing is an error; otherwise it prints as nothing. */
  readonly isStrict: boolean;
  /** From 0 up to 1, for the filter `random`. */
  readonly random: () => number;
}

/** The text of a Jinja2 template with these values, or why there is none. */
export function renderTemplate(template: string, { values, isStrict, random }: RenderOptions): Result<string, string> {
  const compiled = compileTemplate(template);
  if (!compiled.ok) return compiled;
  try {
    const payload = new Scope(globalScope(), values);
    return ok(new Interpreter(new Environment({ isStrict, random }), compiled.value, payload).run());
  } catch (error) {
    if (error instanceof RenderError) return fail(error.message);
    // The stack or the memory for one text is used up.
    if (error instanceof RangeError) return fail("it is nested too deeply or grows too long");
    throw error;
  }
}
