import type { ConfigProblem } from "../contract/problem.ts";
import type { Warning } from "../contract/warning.ts";
import { ABSENT, mcpPlacesOf, type PlaceInput, type PlaceState, placesOf, stateOf } from "./places.ts";
import { keepPlan, type Plan, recallPlan } from "./plan.ts";
import { mergedSettings, NO_CONFIG, type Settings, type Wishes } from "./settings.ts";

export interface SettingsInput extends PlaceInput, Wishes {
  /** Where compiled plans are kept; null: nowhere. */
  readonly cacheDir: string | null;
}

export interface LoadedSettings {
  readonly settings: Settings;
  readonly problems: readonly ConfigProblem[];
  /** The project's file is unusable: its part, hooks included, is left out. */
  readonly isProjectUnusable: boolean;
  readonly warnings: readonly Warning[];
}

/** Settings of this call. No settings file: no library is loaded. An unchanged one: its compiled plan is read. */
export async function loadSettings(input: SettingsInput): Promise<LoadedSettings> {
  const plan = await planFor(input);
  return {
    settings: Object.freeze({ ...mergedSettings(input, plan.project, plan.user), declared: plan.declared }),
    problems: plan.problems.map(({ problem }) => problem),
    isProjectUnusable: plan.problems.some(({ scope }) => scope === "project"),
    warnings: plan.warnings,
  };
}

const NO_PLAN: Plan = { project: NO_CONFIG, user: NO_CONFIG, declared: [], alsoRead: [], problems: [], warnings: [] };

async function planFor(input: SettingsInput): Promise<Plan> {
  const places = placesOf(input);
  const inputs = places.map(({ path }): PlaceState => [path, stateOf(path)]);
  const present = places.filter((_, index) => inputs[index]?.[1] !== ABSENT);
  if (input.explicitFile !== null && !present.some(({ path }) => path === input.explicitFile)) {
    const problem: ConfigProblem = {
      code: "CONFIG_NOT_READABLE",
      file: input.explicitFile,
      cause: "it does not exist",
    };
    return { ...NO_PLAN, problems: [{ scope: "user", problem }] };
  }
  if (present.length === 0) return NO_PLAN;
  const kept = input.cacheDir === null ? null : recallPlan(input.cacheDir, inputs);
  if (kept !== null) return kept;
  const { compilePlan } = await import("./compile.ts");
  const plan = await compilePlan(present, mcpPlacesOf(input));
  if (input.cacheDir !== null) keepPlan(input.cacheDir, inputs, plan);
  return plan;
}
