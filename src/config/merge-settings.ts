import type { LocatedEntry } from "../protocol/entry.ts";
import type { EventName } from "../protocol/event.ts";
import type { EffectiveGuard } from "../protocol/guard-settings.ts";
import type { GeneralSettings, Override, PostOrder, ScopeSettings } from "../protocol/setting-rows.ts";

/** The effective settings of a call, fixed before the first hook is invoked. */
export interface Settings {
  /** `--timeout` or HOOKCTL_TIMEOUT: takes precedence over hooks and settings files. */
  readonly forcedTimeoutMs: number | null;
  readonly deadlineMs: number | null;
  readonly postOrder: PostOrder;
  /** Turns in a row that hooks may start; 0: no limit. */
  readonly maxHookDrivenTurns: number;
  readonly onLimit: OnLimit;
  readonly projectHooks: "ask" | "allow";
  readonly onUntrusted: "warn" | "ask" | "fail";
  readonly record: "names" | "payloads" | "off";
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
}

export interface HookSettings {
  readonly isEnabled: boolean;
  /** Timeout of a hook that does not set one. */
  readonly timeoutMs: number;
  readonly eventTimeoutsMs: Readonly<Partial<Record<EventName, number>>>;
  /** The overrides of this scope alone. */
  readonly overrides: Readonly<Record<string, Override>>;
}

export interface ProjectHookSettings extends HookSettings {
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
}

type OnLimit = "warn" | "ask_user" | "abort";
type Overrides = HookSettings["overrides"];

export const DEFAULT_TIMEOUT_MS = 30_000;
const DEFAULT_TURNS = 25;

/**
 * Merges options, environment, the projects' settings and the user's. A project's settings apply to its own hooks where
 * the user's do not say otherwise; they never loosen the user's.
 */
export function mergeSettings(
  wishes: RequestedLimits,
  projects: readonly EffectiveProject[],
  user: ScopeSettings,
): Omit<Settings, "declared" | "guards"> {
  const own = user.settings;
  const all: GeneralSettings = Object.assign({}, ...projects.map(({ data }) => data.settings));
  return {
    forcedTimeoutMs: wishes.timeoutMs,
    deadlineMs: wishes.deadlineMs ?? own.deadline ?? null,
    postOrder: own.post_order ?? all.post_order ?? "dialect",
    maxHookDrivenTurns: fewerTurns(own.max_hook_driven_turns, all.max_hook_driven_turns),
    onLimit: stricterLimit(own.on_limit, all.on_limit),
    projectHooks: own.project_hooks ?? "ask",
    onUntrusted: own.on_untrusted ?? "warn",
    record: own.record ?? "names",
    envAllow: own.env_allow ?? [],
    pathAllow: own.path_allow ?? [],
    projects: projects.map(({ folder, data }) => ({ folder, ...projectSettings(data, user) })),
    user: hookSettings(own, user.overrides),
  };
}

function projectSettings({ settings, overrides }: ScopeSettings, user: ScopeSettings): HookSettings {
  const own = user.settings;
  const merged: GeneralSettings = {
    enabled: isOn(own) && isOn(settings),
    ...present("timeout", shorter(own.timeout, settings.timeout)),
    timeouts: shorterEach(own.timeouts ?? {}, settings.timeouts ?? {}),
  };
  return hookSettings(merged, overrides);
}

const isOn = ({ enabled }: GeneralSettings): boolean => enabled ?? true;

const present = (key: "timeout", value: number | undefined): GeneralSettings =>
  value === undefined ? {} : { [key]: value };

const shorter = (user: number | undefined, project: number | undefined): number | undefined =>
  user === undefined || project === undefined ? (user ?? project) : Math.min(user, project);

function shorterEach(
  user: Readonly<Record<string, number>>,
  project: Readonly<Record<string, number>>,
): Record<string, number> {
  const events = [...new Set([...Object.keys(user), ...Object.keys(project)])];
  return Object.fromEntries(
    events.flatMap((event): [string, number][] => {
      const timeout = shorter(own(user, event), own(project, event));
      return timeout === undefined ? [] : [[event, timeout]];
    }),
  );
}

/** 0 is no limit. */
function fewerTurns(user: number | undefined, project: number | undefined): number {
  const limits = [user, project].filter((turns) => turns !== undefined);
  if (user === undefined) return project ?? DEFAULT_TURNS;
  const some = limits.filter((turns) => turns > 0);
  return some.length === 0 ? 0 : Math.min(...some);
}

const STRICTNESS: readonly OnLimit[] = ["warn", "ask_user", "abort"];

function stricterLimit(user: OnLimit | undefined, project: OnLimit | undefined): OnLimit {
  if (user === undefined || project === undefined) return user ?? project ?? "warn";
  return STRICTNESS.indexOf(project) > STRICTNESS.indexOf(user) ? project : user;
}

function hookSettings(settings: GeneralSettings, overrides: Overrides): HookSettings {
  return {
    isEnabled: isOn(settings),
    timeoutMs: settings.timeout ?? DEFAULT_TIMEOUT_MS,
    eventTimeoutsMs: settings.timeouts ?? {},
    overrides,
  };
}

const own = <T>(record: Readonly<Record<string, T>>, name: string): T | undefined =>
  Object.hasOwn(record, name) ? record[name] : undefined;
