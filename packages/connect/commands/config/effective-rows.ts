import type { CompiledFile } from "../../../../src/config/load-settings.ts";
import { machineFileIn, projectFilesIn, userFileIn } from "../../../../src/config/load-settings.ts";
import { mergeSettings, type Settings } from "../../../../src/config/merge-settings.ts";
import type { RunContext } from "../../../../src/engine/run-context.ts";
import { realPathOrSame } from "../../../../src/fs/paths.ts";
import { type JsonValue, jsonText } from "../../../../src/protocol/json/write.ts";
import { type GeneralSettings, SETTING_ROWS } from "../../../../src/protocol/setting-rows.ts";
import { NO_SETTINGS } from "../../../../src/protocol/settings-file.ts";
import { effectiveCage } from "../../../cage/index.ts";

/** Where a value is from. `here`: the user's settings for this project; `merged`: of several files together. */
export type Origin = "option" | "environment" | "machine" | "here" | "user" | "project" | "merged" | "default";

/** A value in a settings file. */
interface Said {
  readonly origin: Origin;
  readonly file: string | null;
  readonly value: JsonValue;
}

export interface SettingValue extends Said {
  /** `settings.timeout`, `overrides.lint.timeout`, `guards.git`. */
  readonly key: string;
  /** Values of other files for the key, which do not apply. */
  readonly others: readonly Said[];
}

type Key = keyof typeof SETTING_ROWS;

/** The effective value of each setting, as the engine uses it. */
const EFFECTIVE: Readonly<
  Record<Key, (settings: Pick<Settings, Exclude<keyof Settings, "declared" | "guards">>) => unknown>
> = {
  enabled: ({ user }) => user.isEnabled,
  timeout: ({ forcedTimeoutMs, user }) => forcedTimeoutMs ?? user.timeoutMs,
  timeouts: ({ user }) => user.eventTimeoutsMs,
  deadline: ({ deadlineMs }) => deadlineMs,
  post_order: ({ postOrder }) => postOrder,
  max_hook_driven_turns: ({ maxHookDrivenTurns }) => maxHookDrivenTurns,
  on_limit: ({ onLimit }) => onLimit,
  project_hooks: ({ projectHooks }) => projectHooks,
  on_untrusted: ({ onUntrusted }) => onUntrusted,
  resident: ({ isResident }) => isResident,
  own_commands: ({ ownCommands }) => ownCommands,
  person: ({ person }) => person,
  record: ({ record }) => record,
  record_size: ({ recordLimits }) => recordLimits.sizeBytes,
  record_days: ({ recordLimits }) => recordLimits.days ?? 0,
  export: ({ exportTo }) => exportTo,
  restore: ({ restore }) => restore,
  env_allow: ({ envAllow }) => envAllow,
  path_allow: ({ pathAllow }) => pathAllow,
};

const NO_LIMITS = { timeoutMs: null, deadlineMs: null, agentDeadlineMs: null };
const DEFAULTS = mergeSettings(NO_LIMITS, { machine: NO_SETTINGS, user: NO_SETTINGS, projects: [] });

/** What a settings file says, with its origin. */
interface Source {
  readonly origin: Origin;
  readonly file: string | null;
  readonly data: Pick<CompiledFile["data"], "settings" | "overrides" | "guards" | "cage">;
}

/** The settings files of a call, in the order in which they apply. */
function sourcesOf({ machine, plan, scopes }: RunContext): readonly Source[] {
  const user = userFileIn(plan);
  const folders = [...new Set([scopes.rootDir, ...scopes.projectDirs])].reverse();
  const named = Object.entries(user?.data.projects ?? {});
  const here = folders.flatMap((folder) => named.filter(([one]) => realPathOrSame(one) === folder));
  const machineFile = machine?.settingsFile ?? machineFileIn(plan);
  return [
    ...(machineFile === null ? [] : [{ origin: "machine" as const, file: machineFile.file, data: machineFile.data }]),
    ...here.map(([, said]) => ({
      origin: "here" as const,
      file: user?.file ?? null,
      data: { settings: {}, overrides: {}, guards: {}, ...said },
    })),
    ...(user === null ? [] : [{ origin: "user" as const, file: user.file, data: user.data }]),
    ...projectFilesIn(plan).map(({ file, data }) => ({ origin: "project" as const, file, data })),
  ];
}

/** Every setting with its effective value and its origin; keys that no file and no default sets are left out. */
export function effectiveRows(context: RunContext, isOption: (key: string) => boolean): readonly SettingValue[] {
  const sources = sourcesOf(context);
  const general = (Object.keys(SETTING_ROWS) as readonly Key[]).map((key) => {
    const said = sources.flatMap(({ origin, file, data }) => {
      const value = (data.settings as GeneralSettings)[key];
      return value === undefined ? [] : [{ origin, file, value: shown(key, value) }];
    });
    const value = shown(key, EFFECTIVE[key](context.settings));
    const base = shown(key, EFFECTIVE[key](DEFAULTS));
    return rowOf(`settings.${key}`, value, base, forcedBy(key, context, isOption), said);
  });
  const names = [...new Set(sources.flatMap(({ data }) => Object.keys(data.overrides)))];
  const overrides = names.flatMap((name) => keyRows(`overrides.${name}`, sources, ({ overrides: all }) => all[name]));
  const cage = effectiveCage(context) === null ? [] : keyRows("cage", sources, ({ cage: own }) => own);
  return [...general, ...guardRows(sources, context), ...cage, ...overrides];
}

function forcedBy(key: Key, { env }: RunContext, isOption: (key: string) => boolean): Origin | null {
  const variable = { timeout: "HOOKCTL_TIMEOUT", deadline: "HOOKCTL_DEADLINE" }[key as string];
  if (variable === undefined) return null;
  return isOption(key) ? "option" : (env[variable] ?? "") === "" ? null : "environment";
}

function rowOf(
  key: string,
  value: JsonValue,
  base: JsonValue,
  forced: Origin | null,
  said: readonly Said[],
): SettingValue {
  const same = (one: JsonValue): boolean => jsonText(one) === jsonText(value);
  const winner = forced === null ? said.find((one) => same(one.value)) : undefined;
  const others = said.filter((one) => one !== winner);
  if (winner !== undefined) return { key, ...winner, others };
  return { key, origin: forced ?? (same(base) ? "default" : "merged"), file: null, value, others };
}

/** A guard that any file names, and those that come with it. */
function guardRows(sources: readonly Source[], { settings }: RunContext): readonly SettingValue[] {
  const named = sources.flatMap(({ data }) => Object.keys(data.guards));
  const names = [...new Set([...settings.guards.map(({ name }) => name), ...named])];
  return names.flatMap((name) => {
    const on = settings.guards.find((guard) => guard.name === name) ?? null;
    const said = sources.flatMap(({ origin, file, data }) => {
      const own = Object.entries(data.guards).find(([guard]) => guard === name)?.[1];
      return own === undefined ? [] : [{ origin, file, value: own.enabled !== false }];
    });
    const rest = keyRows(`guards.${name}`, sources, ({ guards }) => {
      const { enabled: _, ...own } = Object.entries(guards).find(([guard]) => guard === name)?.[1] ?? {};
      return own;
    });
    return [rowOf(`guards.${name}`, on !== null, on !== null, null, said), ...rest];
  });
}

/** The keys of an object in the files; the first file decides. */
function keyRows(
  at: string,
  sources: readonly Source[],
  objectIn: (data: Source["data"]) => object | undefined,
): readonly SettingValue[] {
  const objects = sources.map((source) => ({ source, own: Object.entries(objectIn(source.data) ?? {}) }));
  const keys = [...new Set(objects.flatMap(({ own }) => own.map(([key]) => key)))];
  return keys.flatMap((key) => {
    const said = objects.flatMap(({ source: { origin, file }, own }) =>
      own.filter(([name]) => name === key).map(([, value]) => ({ origin, file, value: shown(key, value) })),
    );
    const [winner, ...others] = said;
    return winner === undefined ? [] : [{ key: `${at}.${key}`, ...winner, others }];
  });
}

const DURATIONS = ["timeout", "deadline"];

/** A duration in the form that a settings file takes: `90s`, `250ms`. */
const durationText = (ms: number): string =>
  ms % 60_000 === 0 && ms > 0 ? `${ms / 60_000}m` : ms % 1000 === 0 ? `${ms / 1000}s` : `${ms}ms`;

/** A value as a settings file has it. */
function shown(key: string, value: unknown): JsonValue {
  if (DURATIONS.includes(key) && typeof value === "number") return durationText(value);
  if (key === "timeouts")
    return Object.fromEntries(Object.entries(Object(value)).map(([event, ms]) => [event, durationText(Number(ms))]));
  return (value ?? null) as JsonValue;
}
