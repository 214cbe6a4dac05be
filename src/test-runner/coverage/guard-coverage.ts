import { GUARDS } from "../../guards/guards.ts";
import { GUARD_NAMES } from "../../protocol/guard-settings.ts";
import type { HookResult } from "../../protocol/hook-response.ts";
import type { CaseResult } from "../cases/run-case.ts";
import type { HookCoverage } from "../test-report.ts";

/** The rules of a built-in guard that made one of these cases block or ask. */
export function guardCoverage(name: string, results: readonly Pick<CaseResult, "run">[]): HookCoverage {
  const guard = GUARD_NAMES.find((one) => one === name);
  const all = guard === undefined ? [] : Object.keys(GUARDS[guard].rules);
  const reached = new Set(results.flatMap(({ run }) => run?.invocations ?? []).flatMap(({ result }) => ruleOf(result)));
  const missing = all.filter((rule) => !reached.has(rule));
  return { unit: "rules", reached: all.length - missing.length, total: all.length, missing, unknownBecause: null };
}

/** Its metadata names the rule that decided. */
function ruleOf({ response }: HookResult): readonly string[] {
  const metadata = response.ok ? (response.value?.metadata ?? null) : null;
  return metadata === null ? [] : [String(Object(JSON.parse(metadata)).rule)];
}
