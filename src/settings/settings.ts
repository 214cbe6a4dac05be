import type { ConfigData, ConfigSettings, Override } from "../contract/config.ts";
import type { PlacedEntry } from "../contract/entry.ts";
import type { EventName } from "../contract/event.ts";

/** Everything that was decided outside the hooks, frozen before the first one is asked. */
export interface Settings {
  /** `--timeout` or HOOKCTL_TIMEOUT: goes before what hooks and settings say. */
  readonly forcedTimeoutMs: number | null;
  readonly deadlineMs: number | null;
  readonly postOrder: "forward" | "reverse";
  /** Turns in a row that hooks may start; 0: no limit. */
  readonly maxHookDrivenTurns: number;
  readonly onLimit: "warn" | "ask_user" | "abort";
  readonly projectHooks: "ask" | "allow";
  readonly onUntrusted: "warn" | "fail";
  readonly record: "names" | "payloads" | "off";
  readonly envAllow: readonly string[];
  readonly pathAllow: readonly string[];
  /** The hooks that settings files declare, the project's first. */
  readonly declared: readonly PlacedEntry[];
  /** For hooks of the project: the project's file over the user's. */
  readonly project: HookSettings;
  /** For the user's own hooks: the project has no say, or it could switch a guard off or starve it of time. */
  readonly user: HookSettings;
}

export interface HookSettings {
  readonly isEnabled: boolean;
  /** Limit of a hook that names none itself. */
  readonly timeoutMs: number;
  readonly eventTimeoutsMs: Readonly<Partial<Record<EventName, number>>>;
  readonly overrides: Readonly<Record<string, Override>>;
}

/** What flags and environment say; null where they are silent. */
export interface Wishes {
  readonly timeoutMs: number | null;
  readonly deadlineMs: number | null;
}

export const DEFAULT_TIMEOUT_MS = 30_000;
export const NO_CONFIG: ConfigData = { settings: {}, overrides: {}, hooks: [], mcp_servers: {} };

/** Flags and environment, then the project, then the user, then defaults (SPEC 9). */
export function mergedSettings(wishes: Wishes, project: ConfigData, user: ConfigData): Omit<Settings, "declared"> {
  const timeouts = { ...user.settings.timeouts, ...project.settings.timeouts };
  const merged: ConfigSettings = { ...user.settings, ...project.settings, timeouts };
  return {
    forcedTimeoutMs: wishes.timeoutMs,
    deadlineMs: wishes.deadlineMs ?? user.settings.deadline ?? null,
    postOrder: merged.post_order ?? "forward",
    maxHookDrivenTurns: merged.max_hook_driven_turns ?? 25,
    onLimit: merged.on_limit ?? "warn",
    projectHooks: user.settings.project_hooks ?? "ask",
    onUntrusted: user.settings.on_untrusted ?? "warn",
    record: user.settings.record ?? "names",
    envAllow: user.settings.env_allow ?? [],
    pathAllow: user.settings.path_allow ?? [],
    project: hookSettings(
      { ...merged, enabled: isOn(user) && isOn(project) },
      mergedOverrides(user.overrides, project.overrides),
    ),
    user: hookSettings(user.settings, user.overrides),
  };
}

/** What the user switched off the project cannot switch on. */
const isOn = (config: ConfigData): boolean => config.settings.enabled ?? true;

function hookSettings(settings: ConfigSettings, overrides: HookSettings["overrides"]): HookSettings {
  return {
    isEnabled: settings.enabled ?? true,
    timeoutMs: settings.timeout ?? DEFAULT_TIMEOUT_MS,
    eventTimeoutsMs: settings.timeouts ?? {},
    overrides,
  };
}

/**
 * Key by key the project's word goes before the user's, but what the user closed or boxed in stays so: the project has
 * no say in whether such a hook is asked and heard.
 */
function mergedOverrides(
  user: HookSettings["overrides"],
  project: HookSettings["overrides"],
): HookSettings["overrides"] {
  const names = [...new Set([...Object.keys(user), ...Object.keys(project)])];
  return Object.fromEntries(
    names.map((name) => {
      const own = user[name] ?? {};
      const boxed = own.sandbox === "require" ? { sandbox: "require" as const } : {};
      if (own.fail_open !== false && own.required !== true) return [name, { ...own, ...project[name], ...boxed }];
      const { enabled, match, observe, fail_open, output_limit, ...others } = project[name] ?? {};
      return [name, { enabled: true, ...own, ...others, ...boxed, fail_open: false }];
    }),
  );
}
