import {
  type CompiledFile,
  ignoredFilesIn,
  type LoadedSettingsFiles,
  projectFilesIn,
  userFileIn,
} from "../../config/load-settings.ts";
import { type GuardScope, personScopes, RULE_LEVELS } from "../../config/merge-rules.ts";
import {
  mergeGuards,
  mergeSettings,
  type RequestedLimits,
  type Settings,
  settingsAboveProjects,
} from "../../config/merge-settings.ts";
import { mergeOverrides } from "../../config/overrides.ts";
import type { Scopes } from "../../discover/scopes.ts";
import { realPathOrSame } from "../../fs/paths.ts";
import { type LocatedEntry, schemeRow } from "../../protocol/entry.ts";
import type { ConfigProblem } from "../../protocol/problem.ts";
import { NO_SETTINGS, type ScopeSettings, sharedFileAt } from "../../protocol/settings-file.ts";
import type { Warning } from "../../protocol/warning.ts";
import { hasUsedSettings, readUsedSettings } from "../../trust/store/earlier-calls.ts";
import {
  findLostSettings,
  hasRecordedGuards,
  isUsableSettings,
  type LostSettings,
  lostSettingsWithoutHome,
  recordGuards,
} from "../../trust/store/last-known-guards.ts";
import type { TrustStore } from "../../trust/store/trust-store.ts";
import type { EngineHost } from "../run-context.ts";
import type { ProjectSettings } from "./project-settings.ts";

export interface EffectiveSettings {
  readonly settings: Settings;
  /** What is wrong with the user's settings file; null: nothing. */
  readonly problem: ConfigProblem | null;
  /** Problems of all settings files. A run warns about those of a project and continues. */
  readonly problems: readonly ConfigProblem[];
  /**
   * Problems that keep single hooks from running: of project files that other programs read too, and of single entries.
   * A command does its work and then ends with the first.
   */
  readonly partialProblems: readonly ConfigProblem[];
  /** The user's settings file if it is empty, as a full disk leaves it. */
  readonly emptied: string | null;
  readonly lostSettings: LostSettings | null;
  readonly warnings: readonly Warning[];
}

interface InForceInput {
  /** The machine's settings file; null if there is none. */
  readonly machineFile: CompiledFile | null;
  /** All hooks are off, but for those of the machine. */
  readonly isOff: boolean;
  readonly scopes: Scopes;
  readonly trustStore: TrustStore;
  /** False if nothing of the projects was ever approved. */
  readonly mayBeApproved: boolean;
  /** `--config FILE` replaces the user's settings in this call. */
  readonly isExplicit: boolean;
  readonly trustFile: string | null;
  /** The default store: guards that were recorded beside it must not be lost because a variable chose another store. */
  readonly defaultStore: string | null;
  readonly limits: RequestedLimits;
  /** `--trust`. */
  readonly isTrusted: boolean;
  /** True if no real call is judged, so that `allow` rules which nobody approved may apply. */
  readonly isRehearsal: boolean;
  readonly host: Pick<EngineHost, "env" | "userId">;
}

/** The settings that apply to this call: a project's only as approved, the user's as far as they load. */
export async function loadEffectiveSettings(
  plan: LoadedSettingsFiles,
  input: InForceInput,
): Promise<EffectiveSettings> {
  const user = userFileIn(plan);
  const hasProjectFiles = projectFilesIn(plan).length > 0;
  const lost = lostOf(user, plan.isFresh, input);
  const above = { machine: input.machineFile?.data ?? NO_SETTINGS, user: userHere(user, input.scopes) };
  const isAllowed = settingsAboveProjects(above).project_hooks === "allow";
  const projects = await projectsOf(plan, hasProjectFiles, { ...input, isTrusted: input.isTrusted || isAllowed });
  const settings = mergeSettings(input.limits, { ...above, projects });
  const choosable = [...projects.flatMap(({ entries }) => entries), ...userEntries(user, settings)];
  const declared = [...(input.isOff ? [] : choosable), ...machineEntries(input.machineFile)];
  return {
    settings: Object.freeze({
      ...settings,
      guards: guardsOf(user, projects, input),
      declared: declared.map((entry, position) => ({ ...entry, position })),
    }),
    problem: user?.problem ?? null,
    problems: plan.files.flatMap((one) => (isSharedWithOthers(one) ? [] : (one.problem ?? []))),
    partialProblems: [
      ...plan.files.filter(isSharedWithOthers).flatMap(({ problem }) => problem ?? []),
      ...plan.files.flatMap(({ entryProblems = [] }) => entryProblems),
    ],
    emptied: user?.isBlank ? user.file : null,
    lostSettings: lost,
    warnings: [
      ...projects.flatMap(({ warnings }) => warnings),
      ...unusedEntries(plan.files),
      ...unreadableSettings(ignoredFilesIn(plan, "user")),
      ...lostWarning(lost),
    ],
  };
}

/** The guards of the machine's settings, then those of the user, then those of the projects, outermost first. */
function guardsOf(
  user: CompiledFile | null,
  projects: readonly ProjectSettings[],
  { machineFile, isOff, scopes }: InForceInput,
): Settings["guards"] {
  const scopeOf = (from: CompiledFile | null) => ({
    guards: from?.data.guards ?? {},
    ...(from?.data.rules && { rules: from.data.rules }),
    ...(from?.data.guard_rules && { guard_rules: from.data.guard_rules }),
    file: from?.file ?? "",
    folder: null,
  });
  const machine: GuardScope = { ...scopeOf(machineFile), source: "machine", isFinal: true, level: RULE_LEVELS.machine };
  if (isOff) return mergeGuards([machine]);
  const own: GuardScope = { ...scopeOf(user), source: "config", isFinal: false };
  const theirs = projects.map(
    ({ folder, file, data }): GuardScope => ({
      guards: data.guards,
      ...(data.rules && { rules: data.rules, level: RULE_LEVELS.project }),
      ...(data.guard_rules && { guard_rules: data.guard_rules }),
      file,
      folder,
      source: "config",
      isFinal: false,
    }),
  );
  return mergeGuards([machine, ...personScopes(own, saidHere(user, scopes)), ...theirs]);
}

/** What the user's settings say for the projects of this call, the innermost first. */
function saidHere(user: CompiledFile | null, { rootDir, projectDirs }: Scopes) {
  const { projects = {} } = user?.data ?? {};
  const folders = [...new Set([rootDir, ...projectDirs])].reverse();
  const said = Object.entries(projects).map(([folder, one]) => [realPathOrSame(folder), one] as const);
  return folders.flatMap((folder) => said.flatMap(([named, one]) => (named === folder ? [{ folder, said: one }] : [])));
}

/** The user's settings, with those that they have for the projects of this call. */
function userHere(user: CompiledFile | null, scopes: Scopes): ScopeSettings {
  const own = user?.data ?? NO_SETTINGS;
  const all = [
    own,
    ...saidHere(user, scopes)
      .map(({ said }) => said)
      .reverse(),
  ];
  const overrides = mergeOverrides(all.map((one) => one.overrides ?? {}));
  return { ...own, settings: Object.assign({}, ...all.map(({ settings }) => settings)), overrides };
}

/** Such a file may be right for another program, so a problem in it does not fail the call. */
const isSharedWithOthers = ({ folder, file, scope }: CompiledFile): boolean =>
  scope === "project" && sharedFileAt(folder, file ?? "") !== null;

const userEntries = (user: CompiledFile | null, settings: Pick<Settings, "ownCommands">): Settings["declared"] =>
  entriesOf(user, "user").map((entry) => (mustBeApproved(entry, settings) ? { ...entry, isAsked: true } : entry));

const machineEntries = (file: CompiledFile | null): Settings["declared"] => entriesOf(file, "machine");

const entriesOf = (from: CompiledFile | null, scope: "user" | "machine"): Settings["declared"] =>
  (from?.data.entries ?? []).map((entry) => ({ ...entry, scope, folder: "", file: from?.file ?? "", position: 0 }));

/** With `own_commands: ask`, the user's own commands need approval too, except fail-closed guards. */
const mustBeApproved = (entry: LocatedEntry, { ownCommands }: Pick<Settings, "ownCommands">): boolean =>
  ownCommands === "ask" && schemeRow(entry.scheme).requiresSandbox === true && entry.fail_open !== false;

/** A project without settings and approvals costs one read of the store. */
async function projectsOf(
  plan: LoadedSettingsFiles,
  hasProjectFiles: boolean,
  input: InForceInput,
): Promise<readonly ProjectSettings[]> {
  const { scopes, mayBeApproved, isTrusted, trustFile } = input;
  const { projectDirs } = scopes;
  const isConcerned = hasProjectFiles || mayBeApproved || (isTrusted && hasUsedSettings(trustFile));
  if (!isConcerned)
    return projectDirs.map((folder) => ({ folder, file: folder, data: NO_SETTINGS, entries: [], warnings: [] }));
  const { effectiveProjectSettings } = await import("./project-settings.ts");
  return effectiveProjectSettings(plan, scopes, { ...input, ...input.host, isTrusted });
}

/** Records the guards in user settings that were just read, or finds the recorded ones if the settings cannot be loaded. */
function lostOf(user: CompiledFile | null, isFresh: boolean, input: InForceInput): LostSettings | null {
  const { trustFile, defaultStore, host } = input;
  if (input.isExplicit) return null;
  const isGood = user !== null && isUsableSettings(user);
  if (isGood && isFresh && trustFile !== null) recordGuards(user, trustFile, host.userId);
  const stores = [...new Set([trustFile, defaultStore])].flatMap((store) => store ?? []);
  if (stores.length === 0) return isGood ? null : lostSettingsWithoutHome(host.env, host.userId);
  const lost = stores.filter(hasRecordedGuards).flatMap((store) => findLostSettings(user, store, host.userId) ?? []);
  return lost[0] ?? null;
}

const lostWarning = (lost: LostSettings | null): readonly Warning[] =>
  lost === null
    ? []
    : [
        {
          code: "USER_SETTINGS_LOST",
          path: lost.place,
          cause: lost.cause,
          guards: lost.guards,
          isDeleted: lost.isDeleted,
        },
      ];

/** Warnings of entries without effect. */
export const unusedEntries = (files: readonly CompiledFile[]): readonly Warning[] =>
  files.flatMap(({ entryProblems = [] }) => entryProblems.map((problem) => ({ code: "ENTRY_NOT_USED", problem })));

/** Warnings of files without effect. A shared file may belong to another program, so a plain run names only the user's. */
export const unreadableSettings = (plans: readonly CompiledFile[]): readonly Warning[] =>
  plans.flatMap(({ scope, problem }): readonly Warning[] =>
    problem === null || scope === "machine" ? [] : [{ code: "SETTINGS_NOT_READ", scope, problem }],
  );

/**
 * A project's file that held guards when `--trust` or `project_hooks` last used it, and is now empty or in the form of
 * another program, is treated as unreadable: nobody removes a guard like this on purpose.
 */
export function withFormerGuards(
  plan: LoadedSettingsFiles,
  store: { readonly trustFile: string | null; readonly userId: number },
): LoadedSettingsFiles {
  const blank = plan.files.filter(({ isBlank }) => isBlank);
  const suspects = [...blank, ...plan.ignoredFiles].filter(({ scope }) => scope === "project");
  if (suspects.length === 0) return plan;
  const used = readUsedSettings(store);
  const lost = new Map(suspects.filter(({ file }) => used.has(file ?? "")).map((one) => [one, withFault(one)]));
  return {
    ...plan,
    files: [...plan.files.filter((one) => !lost.has(one)), ...lost.values()],
    ignoredFiles: plan.ignoredFiles.filter((one) => !lost.has(one)),
  };
}

const withFault = (one: CompiledFile): CompiledFile => ({
  ...one,
  problem: {
    code: "CONFIG_BAD_VALUE",
    file: one.file ?? "",
    entry: "hooks",
    detail: "it contained a guard, and now has no entry in hookctl's format",
  },
});
