import type { Explanation, Problem } from "../problem.ts";
import { truncate } from "../text/text.ts";
import { EXPORT_ROWS, SERVE_ROWS } from "./export-and-serve.ts";
import { HOOK_ROWS, REPLY_ROWS } from "./hook.ts";
import { HOST_ROWS } from "./host.ts";
import { PACK_ROWS } from "./pack.ts";
import type { Words } from "./row.ts";
import { CASE_ROWS, CONFIG_ROWS } from "./settings.ts";
import { PAYLOAD_ROWS, USAGE_ROWS } from "./usage.ts";

const ROWS = {
  ...USAGE_ROWS,
  ...PAYLOAD_ROWS,
  ...HOOK_ROWS,
  ...REPLY_ROWS,
  ...CONFIG_ROWS,
  ...CASE_ROWS,
  ...PACK_ROWS,
  ...EXPORT_ROWS,
  ...SERVE_ROWS,
  ...HOST_ROWS,
};

/** Returns the message of a problem, truncated so that it fits on a screen. */
export function explain(problem: Problem): Explanation {
  // The row of a code takes the problem of that code, which the compiler cannot see.
  const row = ROWS[problem.code] as (problem: Problem) => Words;
  const asked = "asked" in problem && problem.asked !== undefined;
  const [summary, hint] = row(asked ? { ...problem, hook: `\`${problem.hook} ${problem.asked}\`` } : problem);
  // A denied file or connection is often why a hook failed in a sandbox.
  const sandbox = "sandbox" in problem ? ` (${truncate(problem.sandbox, 200)})` : "";
  return { summary: `${truncate(summary, 600)}${sandbox}`, hint: truncate(hint, 600) };
}
