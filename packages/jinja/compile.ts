import { fail, ok, type Result } from "../../src/protocol/result.ts";
import { TemplateSyntaxError } from "./faults.ts";
import type { Template } from "./syntax/nodes.ts";
import { parse } from "./syntax/parse.ts";

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
