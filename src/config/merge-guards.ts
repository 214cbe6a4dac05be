import {
  type AllowRule,
  type EffectiveGuard,
  GUARD_NAMES,
  type GuardName,
  type GuardSettings,
  type GuardsSettings,
  UNKNOWN_CHOICES,
} from "../protocol/guard-settings.ts";
import type { Source } from "../protocol/hook.ts";

/** The guards of one settings file. */
export interface GuardScope {
  readonly guards: GuardsSettings;
  readonly file: string;
  readonly source: Source;
  /** The project's folder, in which its `allow` rules count; null: everywhere. */
  readonly folder: string | null;
  /** Nobody below may loosen its guards: the machine's settings. */
  readonly isFinal: boolean;
}

/**
 * Merges the guards of all scopes, the strongest first. A weaker scope makes a guard stricter and adds `allow` rules,
 * which a person approved with its file; it never switches a guard of a stronger one off.
 */
export function mergeGuards(scopes: readonly GuardScope[]): readonly EffectiveGuard[] {
  if (scopes.every(({ guards }) => Object.keys(guards).length === 0)) return [];
  const on = GUARD_NAMES.flatMap((name) => mergeGuard(name, scopes) ?? []);
  const owner = scopes.findIndex((scope) => on.some(({ file }) => file === scope.file));
  const all = scopes.map((scope, at) => (at === owner ? withSelfProtection(scope) : scope));
  return GUARD_NAMES.flatMap((name) => mergeGuard(name, all) ?? []);
}

/** A guard that the agent can switch off is none, so this one comes with any other, unless its scope says no. */
const withSelfProtection = (scope: GuardScope): GuardScope => ({
  ...scope,
  guards: { "self-protection": {}, ...scope.guards },
});

const isOn = (settings: GuardSettings): boolean => settings.enabled !== false;

function mergeGuard(name: GuardName, scopes: readonly GuardScope[]): readonly EffectiveGuard[] | null {
  const named = scopes.flatMap((scope) => {
    const settings = scope.guards[name];
    return settings === undefined ? [] : [{ ...scope, settings }];
  });
  const [owner, ...weaker] = named;
  // The strongest scope that names the guard decides; below it, one that says no only says it for itself.
  if (owner === undefined || !isOn(owner.settings)) return null;
  const others = weaker.filter(({ settings }) => isOn(settings));
  const all = [owner, ...others];
  const { settings, file, source } = owner;
  return [
    {
      name,
      file,
      source,
      decision: others.some((one) => one.settings.decision === "block") ? "block" : (settings.decision ?? null),
      unknown: stricter(settings.unknown ?? "ask", others),
      observe: all.every((one) => one.settings.observe === true),
      allow: (owner.isFinal ? [owner] : all).flatMap(allowRules),
      paths: [...new Set(all.flatMap((one) => one.settings.paths ?? []))],
    },
  ];
}

function stricter(own: EffectiveGuard["unknown"], others: readonly { settings: GuardSettings }[]) {
  const rank = (choice: EffectiveGuard["unknown"]): number => UNKNOWN_CHOICES.indexOf(choice);
  return others.reduce((kept, { settings: { unknown = kept } }) => (rank(unknown) > rank(kept) ? unknown : kept), own);
}

const allowRules = ({ settings, folder }: GuardScope & { settings: GuardSettings }): readonly AllowRule[] =>
  (settings.allow ?? []).map((text) => ({ text, folder }));
