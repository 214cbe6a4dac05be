import { nearest } from "./nearest.ts";
import type { UsageProblem } from "./problem.ts";

/** A name that no hook has, with the nearest of those that there are. */
export const unknownHook = (name: string, known: readonly string[]): UsageProblem => ({
  code: "USAGE_UNKNOWN_HOOK",
  name,
  nearest: nearest(name, known),
});
