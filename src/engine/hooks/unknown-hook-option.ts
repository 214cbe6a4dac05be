import { unknownHook } from "../../protocol/nearest.ts";
import type { UsageProblem } from "../../protocol/problem.ts";
import type { EngineOptions } from "../create-context.ts";
import type { HookSet } from "./resolve-hooks.ts";

/** `--hook` that fits nothing would run, or show, nothing without a word. */
export function unknownHookOption(
  { only }: Pick<EngineOptions, "only">,
  { names, hooks }: HookSet,
): UsageProblem | null {
  return only === null || names.length === 0 || hooks.length > 0 ? null : unknownHook(only, names);
}
