import { GUARD_NAMES, type GuardName } from "../../protocol/guard-settings.ts";
import type { UsageProblem } from "../../protocol/problem.ts";
import { fail, ok, type Result } from "../../protocol/result.ts";
import { nearest } from "../../protocol/text/nearest.ts";

/** The guards that these words name; `git-safety` is another name of `git`. */
export function guardsNamed(words: readonly string[]): Result<readonly GuardName[], UsageProblem> {
  const names: GuardName[] = [];
  for (const word of words) {
    const name = GUARD_NAMES.find((one) => one === word || `${one}-safety` === word);
    if (name === undefined)
      return fail({ code: "USAGE_UNKNOWN_GUARD", name: word, nearest: nearest(word, GUARD_NAMES) });
    names.push(name);
  }
  return ok([...new Set(names)]);
}
