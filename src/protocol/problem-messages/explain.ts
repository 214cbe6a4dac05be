import type { Explanation, Problem } from "../problem.ts";
import { truncate } from "../text/text.ts";
import { explainExport } from "./export.ts";
import { explainHook, explainResponse } from "./hook.ts";
import { explainHost, explainServe } from "./host.ts";
import { explainPack } from "./pack.ts";
import { explainSettings, explainTestCase } from "./settings.ts";
import { explainPayload, explainUsage } from "./usage.ts";

/** Returns the message of a problem, truncated so that it fits on a screen. */
export function explain(problem: Problem): Explanation {
  const { summary, hint } = explainByFamily(problem);
  // A denied file or connection is often why a hook failed in a sandbox.
  const sandbox = "sandbox" in problem ? ` (${truncate(problem.sandbox, 200)})` : "";
  return { summary: `${truncate(summary, 600)}${sandbox}`, hint: truncate(hint, 600) };
}

function explainByFamily(problem: Problem): Explanation {
  if (isOf("USAGE", problem)) return explainUsage(problem);
  if (isOf("PAYLOAD", problem)) return explainPayload(problem);
  if (isOf("HOOK", problem)) return explainHook(problem);
  if (isOf("REPLY", problem)) return explainResponse(problem);
  if (isOf("CONFIG", problem)) return explainSettings(problem);
  if (isOf("CASE", problem)) return explainTestCase(problem);
  if (isOf("PACK", problem)) return explainPack(problem);
  if (isOf("EXPORT", problem)) return explainExport(problem);
  if (isOf("SERVE", problem)) return explainServe(problem);
  return explainHost(problem);
}

/** A code without the prefix of its family is in the wrong union and does not compile. */
function isOf<F extends string>(
  family: F,
  problem: Problem,
): problem is Extract<Problem, { readonly code: `${F}_${string}` }> {
  return problem.code.startsWith(`${family}_`);
}
