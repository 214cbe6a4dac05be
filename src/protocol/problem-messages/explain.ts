import { tableOf } from "../json/table.ts";
import type { Explanation, Problem, ProblemCode } from "../problem.ts";
import { truncate } from "../text/text.ts";
import { derivedFields } from "./derived-fields.ts";
import { filled, type Template } from "./fill-template.ts";
import table from "./messages.json" with { type: "json" };

interface Message {
  readonly summary: Template;
  readonly hint: Template;
  /** The field that chooses between several templates. */
  readonly by?: string;
}

/** A code without words does not compile. */
const MESSAGES = tableOf<Readonly<Record<ProblemCode, Message>>>(table satisfies Record<ProblemCode, unknown>);

/** Returns the message of a problem, truncated so that it fits on a screen. */
export function explain(problem: Problem): Explanation {
  const { summary, hint, by = "" } = MESSAGES[problem.code];
  // A pack with broken settings has the problem of its settings.
  const inner = "problem" in problem ? { fault: explain(problem.problem).summary } : {};
  const fields: Readonly<Record<string, unknown>> = { ...problem, ...inner, ...derivedFields(problem) };
  // A denied file or connection is often why a hook failed in a sandbox.
  const sandbox = "sandbox" in problem ? ` (${truncate(problem.sandbox, 200)})` : "";
  return {
    summary: `${truncate(filled(summary, by, fields), 600)}${sandbox}`,
    hint: truncate(filled(hint, by, fields), 600),
  };
}
