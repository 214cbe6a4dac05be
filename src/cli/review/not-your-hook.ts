import { matchesHookArgument } from "../../discover/candidate-names.ts";
import { findAllCandidates } from "../../engine/hooks/candidates.ts";
import type { RunContext } from "../../engine/run-context.ts";
import { isMachine } from "../../protocol/hook.ts";
import type { UsageProblem } from "../../protocol/problem.ts";
import { unknownHook } from "../../protocol/text/nearest.ts";

/** The problem of a name that none of these hooks has: it may be a hook of the machine. */
export function notYourHook(word: string, names: readonly string[], context: RunContext): UsageProblem {
  const { candidates } = findAllCandidates(context);
  const hook = candidates.find((one) => isMachine(one) && matchesHookArgument(word, one, context.cwd));
  return hook === undefined
    ? unknownHook(word, names)
    : { code: "USAGE_MACHINE_HOOK", name: hook.name, path: hook.entry?.file ?? hook.path };
}
