import { globMatches } from "../../protocol/match.ts";
import type { UsageProblem } from "../../protocol/problem.ts";
import { nearest } from "../../protocol/text/nearest.ts";
import type { TestCase } from "../cases/test-case.ts";

/** Something with cases, of which `--only` may select a part. */
interface Part {
  readonly cases: readonly TestCase[];
  readonly hasContract: boolean;
}

/** All of a hook whose name fits the glob, else its cases whose names fit; empty: neither does. Null selects everything. */
export function selectOnly<P extends Part>(whole: P, name: string, only: string | null): readonly P[] {
  if (only === null || globMatches(only, name)) return [whole];
  const cases = whole.cases.filter((one) => globMatches(only, one.name));
  return cases.length === 0 ? [] : [{ ...whole, hasContract: false, cases }];
}

export function nothingSelected(only: string, names: readonly string[]): UsageProblem {
  const near = nearest(only, names);
  const detail = `no hook and no test case has this name${near === null ? "" : `. Did you mean ${near}?`}`;
  return { code: "USAGE_BAD_VALUE", flag: "--only", value: only, detail };
}
