import type { UsageProblem } from "../protocol/problem.ts";
import { unknownHook } from "../protocol/unknown-hook.ts";
import type { Roster } from "./roster.ts";
import type { Wanted } from "./start.ts";

/** `--hook` that fits nothing would run, or show, nothing without a word. */
export function unknownChoice({ only }: Pick<Wanted, "only">, { names, hooks }: Roster): UsageProblem | null {
  return only === null || names.length === 0 || hooks.length > 0 ? null : unknownHook(only, names);
}
