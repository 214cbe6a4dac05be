import type { ConfigProblem } from "../protocol/problem.ts";
import { NO_SETTINGS } from "../protocol/settings.ts";
import { ABSENT, mcpPlacesOf, type PlaceInput, type PlaceState, placesOf, stateOfPlace } from "./places.ts";
import { keepPlan, type Plan, recallPlan, type ScopePlan } from "./plan.ts";

export interface SettingsInput extends PlaceInput {
  /** Where compiled plans are kept; null: nowhere. */
  readonly cacheDir: string | null;
}

export interface LoadedPlan extends Plan {
  /** It was parsed and checked by this very call. */
  readonly isFresh: boolean;
}

const NO_PLAN: LoadedPlan = { scopes: [], others: [], alsoRead: [], isFresh: false };

/** The settings files of this call. Without one no library is loaded; of unchanged ones the compiled plan is read. */
export async function loadPlan(input: SettingsInput): Promise<LoadedPlan> {
  const places = placesOf(input);
  const inputs = places.map((place): PlaceState => [place.path, stateOfPlace(place)]);
  const present = places.filter((_, index) => inputs[index]?.[1] !== ABSENT);
  if (input.explicitFile !== null && !present.some(({ path }) => path === input.explicitFile)) {
    return { ...NO_PLAN, scopes: [missingFile(input.explicitFile)] };
  }
  if (present.length === 0) return NO_PLAN;
  const kept = input.cacheDir === null ? null : recallPlan(input.cacheDir, inputs);
  if (kept !== null) return { ...kept, isFresh: false };
  const { compilePlan } = await import("./compile.ts");
  const plan = await compilePlan(present, mcpPlacesOf(input));
  if (input.cacheDir !== null) keepPlan(input.cacheDir, inputs, plan);
  return { ...plan, isFresh: true };
}

function missingFile(file: string): ScopePlan {
  const problem: ConfigProblem = { code: "CONFIG_NOT_READABLE", file, cause: "it does not exist" };
  return { scope: "user", folder: "", file, isBlank: false, data: NO_SETTINGS, problem };
}

/** The plan of the user's one settings file; null: there is none. */
export const userPlan = ({ scopes }: Plan): ScopePlan | null => scopes.find(({ scope }) => scope === "user") ?? null;

/** The plan of each file that counts in a project folder, the outermost folder's first. */
export const projectPlans = ({ scopes }: Plan): readonly ScopePlan[] =>
  scopes.filter(({ scope }) => scope === "project");

/** Files of one scope from which nothing is read, each with the reason. */
export const unreadPlans = ({ others }: Plan, wanted: ScopePlan["scope"]): readonly ScopePlan[] =>
  others.filter(({ scope }) => scope === wanted);
