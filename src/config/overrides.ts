import { isInside } from "../fs/paths.ts";
import { type Candidate, type Owner, ownerOf } from "../protocol/hook.ts";
import type { Override } from "../protocol/setting-rows.ts";
import { nearest } from "../protocol/text/nearest.ts";
import type { Warning } from "../protocol/warning.ts";
import type { HookSettings, Settings } from "./merge-settings.ts";

type Named = Pick<Candidate, "name" | "baseName">;

/**
 * Returns the override of one hook. An override of `guard` applies to the hooks of that name in all project folders; one of
 * `web/guard` takes precedence key by key. So a hook still has its override when another hook gets the same name.
 */
function overrideIn({ overrides }: Pick<HookSettings, "overrides">, { name, baseName }: Named): Override {
  const own = Object.hasOwn(overrides, name) ? overrides[name] : undefined;
  const base = baseName !== undefined && Object.hasOwn(overrides, baseName) ? overrides[baseName] : undefined;
  return base === undefined ? (own ?? NO_OVERRIDE) : { ...base, ...own };
}

const NO_OVERRIDE: Override = {};

type Scope = Pick<HookSettings, "overrides">;
type AboveProjects = Pick<Settings, "machine" | "user">;

/** The scopes that a project cannot override for this hook, the machine first. */
const scopesAboveProjects = <T extends AboveProjects>(
  hook: Pick<Candidate, "source">,
  { machine, user }: T,
): readonly (T["machine"] | T["user"])[] => (hook.source === "machine" ? [machine] : [machine, user]);

/** The override of a hook by the machine and the user. */
export const overrideAboveProjects = (hook: Named & Pick<Candidate, "source">, settings: AboveProjects): Override =>
  boundedOverride(hook, scopesAboveProjects(hook, settings));

/** The settings for one hook. */
export interface HookOverrides {
  readonly owner: Owner;
  /** The settings of its scope: for a project hook those of the innermost project folder around it. */
  readonly scope: HookSettings;
  /** The override that applies. */
  readonly override: Override;
  /** The override by the machine and the user. */
  readonly above: Override;
  /** False if all hooks of its scope are disabled and no scope above makes this one fail-closed. */
  readonly isEnabled: boolean;
}

export function overridesFor(
  candidate: Named & Pick<Candidate, "path" | "source" | "entry" | "settings">,
  settings: Settings,
): HookOverrides {
  const { projects, user, machine } = settings;
  const owner = ownerOf(candidate);
  const scopes = scopesAboveProjects(candidate, settings);
  const above = boundedOverride(candidate, scopes);
  const closing = scopes.find((one) => isClosed(overrideIn(one, candidate)));
  if (owner !== "project") {
    const scope = owner === "machine" ? machine : user;
    return { owner, scope, override: above, above, isEnabled: (closing ?? scope).isEnabled };
  }
  const scope = projects.findLast(({ folder }) => isInside(folder, candidate.path)) ?? projects.at(-1) ?? user;
  const override = boundedOverride(candidate, [...scopes, scope]);
  return { owner, scope, override, above, isEnabled: (closing ?? scope).isEnabled };
}

/** True if an override says that a failure of the hook blocks. */
export const isClosed = ({ fail_open, required }: Override): boolean => fail_open === false || required === true;

/** Merges the overrides of a hook in several scopes, each bounded by those before it. */
export function boundedOverride(hook: Named, scopes: readonly Scope[]): Override {
  const overrides = scopes.map((scope) => overrideIn(scope, hook));
  return overrides.every((override) => override === NO_OVERRIDE) ? NO_OVERRIDE : overrides.reduce(boundedBy, {});
}

/**
 * Merges an override with that of the scope above, which takes precedence key by key. It cannot disable or mute a hook
 * that the scope above made fail-closed.
 */
function boundedBy(ours: Override, theirs: Override): Override {
  if (isClosed(ours)) {
    const { enabled, match, observe, fail_open, output_limit, ...others } = theirs;
    return { enabled: true, ...others, ...ours, fail_open: false };
  }
  // A scope below may make a deciding hook fail-closed, which is stricter.
  const closed = theirs.fail_open === false && ours.observe !== true ? { fail_open: false } : {};
  return { ...theirs, ...ours, ...closed };
}

/** More would slow down every call. */
const MOST_COMPARISONS = 5_000;

/**
 * Warns of overrides whose name is nearly that of a hook: a misspelt one leaves a guard as it was. It also says how many
 * were not compared.
 */
export function unmatchedOverrides(
  names: readonly string[],
  { projects, user, machine }: Settings,
): readonly Warning[] {
  const overridden = new Set([...projects, user, machine].flatMap(({ overrides }) => Object.keys(overrides)));
  const own = new Set(names);
  const stray = [...overridden].filter((name) => !own.has(name));
  const compared = stray.slice(0, Math.ceil(MOST_COMPARISONS / names.length));
  const misspelt = compared.flatMap((name): readonly Warning[] => {
    const near = nearest(name, names);
    return near === null ? [] : [{ code: "NO_SUCH_OVERRIDE", name, nearest: near }];
  });
  const count = stray.length - compared.length;
  return count === 0 ? misspelt : [...misspelt, { code: "OVERRIDES_NOT_COMPARED", count }];
}

/** Later ones go before earlier ones key by key: an override of a timeout leaves a guard of a pack fail-closed. */
export function mergeOverrides(all: readonly Scope["overrides"][]): Scope["overrides"] {
  const merged = new Map<string, Override>();
  for (const [name, one] of all.flatMap((overrides) => Object.entries(overrides)))
    merged.set(name, { ...merged.get(name), ...one });
  return Object.fromEntries(merged);
}
