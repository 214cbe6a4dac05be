import { formatDuration } from "../../protocol/text/units.ts";
import { pluralize } from "../text-style.ts";

/** What a person sees while tests run; before the hooks are known, none is planned. */
export function progressText({ hooks, mutants }: TestProgressCounts, ms: number): string {
  if (hooks.planned === 0) return "Looking for hooks …";
  const respelled = mutants.planned === 0 ? "" : `, ${mutants.done} of ${pluralize(mutants.planned, "respelling")}`;
  return `${hooks.done} of ${pluralize(hooks.planned, "hook")} tested${respelled}, ${formatDuration(ms)} …`;
}

interface Progress {
  readonly planned: number;
  readonly done: number;
}

export interface TestProgressCounts {
  readonly hooks: Progress;
  readonly mutants: Progress;
}
