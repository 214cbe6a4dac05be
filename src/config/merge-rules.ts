import {
  type AddedRules,
  type AllowRule,
  type EffectiveGuard,
  GUARD_NAMES,
  type GuardName,
  type GuardSettings,
  type GuardsSettings,
} from "../protocol/guard-settings.ts";
import type { Source } from "../protocol/hook-kind.ts";
import { hasStoppingRules, type RulesSettings, rulesIn, type ScopedRule } from "../protocol/rule-settings.ts";
import type { ProjectRules } from "../protocol/settings-file.ts";

/** The guards of one settings file. */
export interface GuardScope {
  readonly guards: GuardsSettings;
  readonly rules?: RulesSettings;
  readonly guard_rules?: readonly AddedRules[];
  /** The strength of its rules; by default that of a person. */
  readonly level?: number;
  readonly file: string;
  readonly source: Source;
  /** The project's folder, in which its `allow` rules apply; null: everywhere. */
  readonly folder: string | null;
  /** No scope below may loosen its guards: the machine's settings. */
  readonly isFinal: boolean;
}

/** The levels of the scopes with rules, the strongest first. */
export const RULE_LEVELS = { machine: 0, "person here": 1, person: 2, project: 3 } as const;

/** The guard `rules` is on where a scope stops or questions anything, unless the same scope switches it off. */
export const withRulesGuard = (scope: GuardScope): GuardScope =>
  scope.rules !== undefined && hasStoppingRules(scope.rules)
    ? { ...scope, guards: { rules: {}, ...scope.guards } }
    : scope;

/**
 * Gives the guards the rules of all scopes. An `allow` of the person counts for each guard, but not for one that the machine
 * turned on; an `allow` of a project counts for the rules of the same file alone.
 */
export function withRules(guards: readonly EffectiveGuard[], scopes: readonly GuardScope[]): readonly EffectiveGuard[] {
  const rules = scopes.flatMap(scopedRules);
  if (rules.length === 0) return guards;
  const allows = rules.filter(({ list }) => list === "allow");
  const ofPerson = allows.filter(({ level }) => level < RULE_LEVELS.project);
  const ofMachine = allows.filter(({ level }) => level === RULE_LEVELS.machine);
  return guards.map((guard) => {
    if (guard.name !== "rules") return withAllowed(guard, guard.source === "machine" ? ofMachine : ofPerson);
    return { ...withAllowed(guard, allows), rules: rules.filter(({ list }) => list !== "allow") };
  });
}

const withAllowed = (guard: EffectiveGuard, rules: readonly ScopedRule[]): EffectiveGuard => ({
  ...guard,
  allow: [...guard.allow, ...rules.map((rule): AllowRule => ({ text: rule.match, folder: rule.folder, rule }))],
});

function scopedRules({ rules = {}, guards, file, source, folder, level }: GuardScope): readonly ScopedRule[] {
  const isOff = guards.rules?.enabled === false;
  return rulesIn(rules)
    .filter(({ list }) => list === "allow" || !isOff)
    .map((rule) => ({ ...rule, file, source, folder, level: level ?? RULE_LEVELS.person }));
}

/** Gives the guards the rules that the scopes add to them. */
export function withAddedRules(
  guards: readonly EffectiveGuard[],
  scopes: readonly GuardScope[],
): readonly EffectiveGuard[] {
  const all = scopes.flatMap(({ guard_rules = [], file }) => guard_rules.map((one) => ({ file, ...one })));
  if (all.length === 0) return guards;
  return guards.map((guard) => {
    const added = all.filter(({ name }) => name === guard.name);
    return added.length === 0 ? guard : { ...guard, added };
  });
}

/**
 * The scopes of a person: what their settings say for the projects of the call, the innermost first, and then for all. The
 * first value of a guard's setting counts, because both are the person's own words.
 */
export function personScopes(
  user: GuardScope,
  projects: readonly { readonly folder: string; readonly said: ProjectRules }[],
): readonly GuardScope[] {
  if (projects.length === 0) return [user];
  const here = projects.map(({ folder, said: { guards = {}, ...rules } }): GuardScope => {
    const { guard_rules: _, ...own } = user;
    return { ...own, guards, rules, folder, level: RULE_LEVELS["person here"] };
  });
  const scopes = [...here, user];
  const decided = (name: GuardName): GuardSettings => {
    const all = scopes.flatMap(({ guards }) => guards[name] ?? []).reverse();
    return Object.assign({}, ...all, { rules: Object.assign({}, ...all.map(({ rules }) => rules)) });
  };
  const guardsOf = ({ guards }: GuardScope): GuardsSettings =>
    Object.fromEntries(
      GUARD_NAMES.flatMap((name) => {
        const { allow = [], paths = [] } = guards[name] ?? {};
        return guards[name] === undefined ? [] : [[name, { ...decided(name), allow, paths }]];
      }),
    );
  return scopes.map((scope) => ({ ...scope, guards: guardsOf(scope) }));
}
