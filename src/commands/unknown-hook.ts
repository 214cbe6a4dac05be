import { nearest } from "../contract/nearest.ts";
import type { UsageProblem } from "../contract/problem.ts";
import type { Roster } from "../runtime/roster.ts";
import type { Flags } from "./flags.ts";

/** `--hook` that fits nothing would run, or show, nothing without a word. */
export function unknownHook({ only }: Flags, { names, hooks }: Roster): UsageProblem | null {
  if (only === null || names.length === 0 || hooks.length > 0) return null;
  return { code: "USAGE_UNKNOWN_HOOK", name: only, nearest: nearest(only, names) };
}
