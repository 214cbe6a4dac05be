import type { LocatedEntry } from "../protocol/entry.ts";
import type { EventName } from "../protocol/event.ts";
import {
  type AllowRule,
  type EffectiveGuard,
  GUARD_NAMES,
  type GuardName,
  type GuardSettings,
  type RuleSetting,
  UNKNOWN_CHOICES,
} from "../protocol/guard-settings.ts";
import { DEFAULT_TIMEOUT_MS } from "../protocol/hook.ts";
import { ownValue } from "../protocol/own-value.ts";
import { DEFAULT_LOG_LIMITS, type LogLimits } from "../protocol/run-record.ts";
import { type GeneralSettings, type Override, RULE_CHOICES, type RuleChoice } from "../protocol/setting-rows.ts";
import { PERSON_PROOFS, type PersonProof, type PostOrder, type ScopeSettings } from "../protocol/settings-file.ts";
import { type GuardScope, withAddedRules, withRules, withRulesGuard } from "./merge-rules.ts";

/** The effective settings of a call, fixed before the first hook is invoked. */
export interface Settings {
  /** `--timeout` or HOOKCTL_TIMEOUT: takes precedence over hooks and settings files, but for the machine's hooks. */
  readonly forcedTimeoutMs: number | null;
  readonly deadlineMs: number | null;
  readonly postOrder: PostOrder;
  /** Turns in a row that hooks may start; 0: no limit. */
  readonly maxHookDrivenTurns: number;
  readonly onLimit: OnLimit;
  readonly projectHooks: "ask" | "allow";
  readonly onUntrusted: "warn" | "ask" | "fail";
  readonly ownCommands: "allow" | "ask";
  readonly person: PersonProof;
  readonly record: "names" | "payloads" | "off";
  readonly recordLimits: LogLimits;
  /** The address of a collector. */
  readonly exportTo: string | null;
  /** When what an agent's settings lost since they were sealed is restored. */
  readonly restore: "by_person" | "at_once";
  /** Whether a server answers the calls of agents; null: as usual for this machine. */
  readonly isResident: boolean | null;
  readonly envAllow: readonly string[];
  readonly pathAllow: readonly string[];
  /** Hooks declared in settings files, the projects' first. */
  readonly declared: readonly LocatedEntry[];
  /** The built-in guards that are on. */
  readonly guards: readonly EffectiveGuard[];
  /** Settings for the hooks of each project folder, outermost first, within the bounds of the user's settings. */
  readonly projects: readonly ProjectHookSettings[];
  /** Settings for the user's own hooks. Projects cannot change them, or they could disable a guard or cut its timeout. */
  readonly user: HookSettings;
  /** Settings for the hooks of the machine, which no other scope can change. */
  readonly machine: MachineSettings;
}

interface MachineSettings extends HookSettings {
  readonly postOrder: PostOrder;
  readonly deadlineMs: number | null;
  readonly envAllow: readonly string[];
}

export interface HookSettings {
  readonly isEnabled: boolean;
  /** Timeout of a hook that does not set one. */
  readonly timeoutMs: number;
  readonly eventTimeoutsMs: Readonly<Partial<Record<EventName, number>>>;
  /** The overrides of this scope alone. */
  readonly overrides: Readonly<Record<string, Override>>;
}

interface ProjectHookSettings extends HookSettings {
  readonly folder: string;
}

/** The effective settings file of one project folder. */
export interface EffectiveProject {
  readonly folder: string;
  readonly data: ScopeSettings;
}

/** Limits from options and environment; null: not set. */
export interface RequestedLimits {
  readonly timeoutMs: number | null;
  readonly deadlineMs: number | null;
  /** When the calling agent stops waiting, by its own settings. */
  readonly agentDeadlineMs: number | null;
}

/** The settings files of a call by scope. Each scope is bounded by the ones above it: machine, user, project. */
interface SettingsScopes {
  readonly machine: ScopeSettings;
  readonly user: ScopeSettings;
  readonly projects: readonly EffectiveProject[];
}

type OnLimit = "warn" | "ask_user" | "abort";
type Overrides = HookSettings["overrides"];

const DEFAULT_TURNS = 25;

/** Merges options, environment and the settings of all scopes. A scope may decide what the scopes above it do not set. */
export function mergeSettings(wishes: RequestedLimits, scopes: SettingsScopes): Omit<Settings, "declared" | "guards"> {
  const { machine, user, projects } = scopes;
  const own = settingsAboveProjects(scopes);
  const allProjects: GeneralSettings = Object.assign({}, ...projects.map(({ data }) => data.settings));
  const all = boundedBy(own, allProjects);
  return {
    forcedTimeoutMs: wishes.timeoutMs,
    deadlineMs: wishes.deadlineMs ?? own.deadline ?? null,
    postOrder: all.post_order ?? "dialect",
    maxHookDrivenTurns: all.max_hook_driven_turns ?? DEFAULT_TURNS,
    onLimit: all.on_limit ?? "warn",
    projectHooks: own.project_hooks ?? "ask",
    onUntrusted: own.on_untrusted ?? "warn",
    ownCommands: own.own_commands ?? "allow",
    // An agent can write the user's settings, so only the machine's may demand nothing.
    person: own.person === "none" && machine.settings.person !== "none" ? "terminal" : (own.person ?? "terminal"),
    record: own.record ?? "names",
    recordLimits: recordLimits(own),
    exportTo: own.export ?? null,
    restore: own.restore ?? "by_person",
    isResident: own.resident ?? null,
    envAllow: own.env_allow ?? [],
    pathAllow: own.path_allow ?? [],
    projects: projects.map(({ folder, data }) => ({
      folder,
      ...hookSettings(boundedBy(own, data.settings), data.overrides),
    })),
    user: hookSettings(own, user.overrides),
    machine: machineSettings(machine, wishes),
  };
}

/** A smaller log could not hold one run. */
const LEAST_LOG_BYTES = 64 * 1024;

const recordLimits = ({ record_size: size, record_days: days }: GeneralSettings): LogLimits => ({
  sizeBytes: Math.max(LEAST_LOG_BYTES, size ?? DEFAULT_LOG_LIMITS.sizeBytes),
  days: days === 0 ? null : (days ?? DEFAULT_LOG_LIMITS.days),
});

function machineSettings(
  { settings, overrides }: ScopeSettings,
  { agentDeadlineMs }: RequestedLimits,
): MachineSettings {
  const deadlines = [settings.deadline, agentDeadlineMs].flatMap((deadline) => deadline ?? []);
  return {
    ...hookSettings(settings, overrides),
    postOrder: settings.post_order ?? "dialect",
    deadlineMs: deadlines.length === 0 ? null : Math.min(...deadlines),
    envAllow: settings.env_allow ?? [],
  };
}

type Key = keyof GeneralSettings;
type Value<K extends Key> = Required<GeneralSettings>[K];

type Known = { readonly [K in Key]?: Value<K> };

/** The value of two scopes that both set it. The second cannot loosen the first. */
type Bounds = { readonly [K in Key]: (above: Value<K>, below: Value<K>) => Value<K> };

/** Returns the value that is later in the list. */
const stricter =
  <T>(looseFirst: readonly T[]) =>
  (above: T, below: T): T =>
    looseFirst.indexOf(below) > looseFirst.indexOf(above) ? below : above;

const inBoth = (above: readonly string[], below: readonly string[]): readonly string[] =>
  below.filter((one) => above.includes(one));

const BOUNDS: Bounds = {
  enabled: (above, below) => above && below,
  timeout: Math.min,
  timeouts: shorterEach,
  deadline: Math.min,
  post_order: (above) => above,
  max_hook_driven_turns: fewerTurns,
  on_limit: stricter(["warn", "ask_user", "abort"]),
  project_hooks: stricter(["allow", "ask"]),
  on_untrusted: stricter(["warn", "ask", "fail"]),
  own_commands: stricter(["allow", "ask"]),
  resident: (above, below) => above && below,
  person: stricter(PERSON_PROOFS),
  record: stricter(["off", "names", "payloads"]),
  record_size: Math.max,
  record_days: (above, below) => (above === 0 || below === 0 ? 0 : Math.max(above, below)),
  export: (above) => above,
  restore: (above) => above,
  env_allow: inBoth,
  path_allow: inBoth,
};

/** The settings of the machine and the user, which no project can change. */
export const settingsAboveProjects = ({ machine, user }: Pick<SettingsScopes, "machine" | "user">): GeneralSettings =>
  boundedBy(machine.settings, user.settings);

/** The settings of a scope below another. A key that only one of them sets is used unchanged. */
function boundedBy(above: GeneralSettings, below: GeneralSettings): GeneralSettings {
  const [all, some]: readonly [Known, Known] = [above, below];
  const both = <K extends Key>(key: K): object => {
    const outer: Value<K> | undefined = all[key];
    const inner: Value<K> | undefined = some[key];
    return outer === undefined || inner === undefined ? {} : { [key]: BOUNDS[key](outer, inner) };
  };
  const keys = (Object.keys(below) as readonly Key[]).filter((key) => Object.hasOwn(BOUNDS, key));
  return Object.assign({}, above, below, ...keys.map(both));
}

function shorterEach(above: Value<"timeouts">, below: Value<"timeouts">): Value<"timeouts"> {
  const events = [...new Set([...Object.keys(above), ...Object.keys(below)])];
  const shortest = (event: string): number =>
    Math.min(ownValue(above, event) ?? Number.POSITIVE_INFINITY, ownValue(below, event) ?? Number.POSITIVE_INFINITY);
  return Object.fromEntries(events.map((event) => [event, shortest(event)]));
}

/** 0 is no limit. */
function fewerTurns(above: number, below: number): number {
  const some = [above, below].filter((turns) => turns > 0);
  return some.length === 0 ? 0 : Math.min(...some);
}

function hookSettings(settings: GeneralSettings, overrides: Overrides): HookSettings {
  return {
    isEnabled: settings.enabled ?? true,
    timeoutMs: settings.timeout ?? DEFAULT_TIMEOUT_MS,
    eventTimeoutsMs: settings.timeouts ?? {},
    overrides,
  };
}

/**
 * Merges the guards of all scopes, the strongest first. A weaker scope makes a guard stricter and adds `allow` rules,
 * which a person approved with its file; it never switches a guard of a stronger one off.
 */
export function mergeGuards(given: readonly GuardScope[]): readonly EffectiveGuard[] {
  if (given.every(({ guards, rules }) => rules === undefined && Object.keys(guards).length === 0)) return [];
  const scopes = given.map(withRulesGuard);
  const on = GUARD_NAMES.flatMap((name) => mergeGuard(name, scopes) ?? []);
  const owner = scopes.findIndex((scope) => on.some(({ file }) => file === scope.file));
  const all = scopes.map((scope, at) => (at === owner ? withSelfProtection(scope) : scope));
  const merged = GUARD_NAMES.flatMap((name) => mergeGuard(name, all) ?? []);
  return withAddedRules(withRules(merged, all), all);
}

/** Every guard: those that are off with their defaults. */
export function allGuards(on: readonly EffectiveGuard[]): readonly EffectiveGuard[] {
  const guards = Object.fromEntries(GUARD_NAMES.map((name) => [name, {}]));
  const all = mergeGuards([{ guards, file: "hookctl", source: "config", folder: null, isFinal: false }]);
  return all.map((guard) => on.find(({ name }) => name === guard.name) ?? guard);
}

/**
 * A guard that the agent can disable is useless, so self-protection comes with any other guard, unless its scope
 * disables it.
 */
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
  // The strongest scope that names the guard decides; a scope below it can disable the guard only for its own settings.
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
      unknown: stricterUnknown(settings.unknown ?? "ask", others),
      observe: all.every((one) => one.settings.observe === true),
      allow: (owner.isFinal ? [owner] : all).flatMap(allowRules),
      paths: [...new Set(all.flatMap((one) => one.settings.paths ?? []))],
      ruleSettings: mergeRuleSettings(settings, others),
    },
  ];
}

function stricterUnknown(own: EffectiveGuard["unknown"], others: readonly { settings: GuardSettings }[]) {
  const rank = (choice: EffectiveGuard["unknown"]): number => UNKNOWN_CHOICES.indexOf(choice);
  return others.reduce((kept, { settings: { unknown = kept } }) => (rank(unknown) > rank(kept) ? unknown : kept), own);
}

function mergeRuleSettings(
  own: GuardSettings,
  others: readonly { readonly settings: GuardSettings }[],
): Readonly<Record<string, RuleSetting>> {
  const names = [own, ...others.map(({ settings }) => settings)].flatMap(({ rules = {} }) => Object.keys(rules));
  return Object.fromEntries(
    [...new Set(names)].map((name) => {
      const below = others.map(({ settings: { rules = {}, decision } }) => {
        return ownValue(rules, name) ?? (decision === "block" ? decision : "off");
      });
      const atLeast = below.reduce<RuleChoice>(stricter(RULE_CHOICES), "off");
      return [name, { own: ownValue(own.rules ?? {}, name) ?? null, atLeast }];
    }),
  );
}

const allowRules = ({ settings, folder }: GuardScope & { settings: GuardSettings }): readonly AllowRule[] =>
  (settings.allow ?? []).map((text) => ({ text, folder }));
