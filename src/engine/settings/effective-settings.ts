import { ignoredFilesIn, type LoadedSettingsFiles, projectFilesIn, userFileIn } from "../../config/load-settings.ts";
import { mergeGuards } from "../../config/merge-guards.ts";
import { mergeSettings, type RequestedLimits, type Settings } from "../../config/merge-settings.ts";
import type { CompiledFile } from "../../config/settings-cache.ts";
import type { Scopes } from "../../discover/scopes.ts";
import { type LocatedEntry, type ResolvedEntry, schemeRow } from "../../protocol/entry.ts";
import type { ConfigProblem } from "../../protocol/problem.ts";
import { type GeneralSettings, NO_SETTINGS, sharedFileAt } from "../../protocol/setting-rows.ts";
import type { Warning } from "../../protocol/warning.ts";
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
  /** The problem of a project file that other programs read too; null: none. */
  readonly sharedProblem: ConfigProblem | null;
  /** The user's settings file if it is empty, as a full disk leaves it. */
  readonly emptied: string | null;
  readonly lostSettings: LostSettings | null;
  readonly warnings: readonly Warning[];
}

interface InForceInput {
  readonly scopes: Scopes;
  readonly trustStore: TrustStore;
  /** `--config FILE` replaces the user's settings in this call. */
  readonly isExplicit: boolean;
  readonly trustFile: string | null;
  /** The usual store, whatever a variable chose: what was noted beside it must not be lost by the choice. */
  readonly usualStore: string | null;
  readonly wishes: RequestedLimits;
  /** `--trust`. */
  readonly isTrusted: boolean;
  readonly host: Pick<EngineHost, "env" | "userId">;
}

/** The settings that apply to this call: a project's only as approved, the user's as far as they load. */
export async function loadEffectiveSettings(
  plan: LoadedSettingsFiles,
  input: InForceInput,
): Promise<EffectiveSettings> {
  const user = userFileIn(plan);
  const lost = lostOf(plan, input);
  const projects = await projectsOf(plan, input);
  const declared = [...projects.flatMap(({ entries }) => entries), ...userEntries(plan)];
  const settings = mergeSettings(input.wishes, projects, user?.data ?? NO_SETTINGS);
  return {
    settings: Object.freeze({
      ...settings,
      guards: guardsOf(user, projects),
      declared: declared.map((entry, position) => ({ ...entry, position })),
    }),
    problem: user?.problem ?? null,
    problems: plan.files.flatMap((one) => (isSharedWithOthers(one) ? [] : (one.problem ?? []))),
    sharedProblem: plan.files.find((one) => one.problem !== null && isSharedWithOthers(one))?.problem ?? null,
    emptied: user?.isBlank ? user.file : null,
    lostSettings: lost,
    warnings: [
      ...projects.flatMap(({ warnings }) => warnings),
      ...unreadableSettings(ignoredFilesIn(plan, "user")),
      ...lostWarning(lost),
    ],
  };
}

/** The guards of the user's settings, then those of the projects, outermost first. */
function guardsOf(user: CompiledFile | null, projects: readonly ProjectSettings[]): Settings["guards"] {
  const own = { guards: user?.data.guards ?? {}, file: user?.file ?? "", folder: null, source: "config" } as const;
  const theirs = projects.map(
    ({ folder, file, data }) => ({ guards: data.guards, file, folder, source: "config" }) as const,
  );
  return mergeGuards([own, ...theirs].map((scope) => ({ ...scope, isFinal: false })));
}

/** Such a file may be right for another program, so a problem in it does not fail the call. */
const isSharedWithOthers = ({ folder, file, scope }: CompiledFile): boolean =>
  scope === "project" && sharedFileAt(folder, file ?? "") !== null;

function userEntries(plan: LoadedSettingsFiles): Settings["declared"] {
  const { file, data } = userFileIn(plan) ?? { file: null, data: NO_SETTINGS };
  return data.entries.map((one) => ownEntry(one, file ?? "", data.settings));
}

/** With `own_commands: ask`, the user's own commands need approval too, except fail-closed guards. */
function ownEntry(entry: ResolvedEntry, file: string, { own_commands }: GeneralSettings): LocatedEntry {
  const isAsked = own_commands === "ask" && schemeRow(entry.scheme).requiresSandbox && entry.fail_open !== false;
  return { ...entry, scope: "user", folder: "", file, position: 0, ...(isAsked ? { isAsked } : {}) };
}

/** A project without settings and approvals costs one look at the store. */
async function projectsOf(plan: LoadedSettingsFiles, input: InForceInput): Promise<readonly ProjectSettings[]> {
  const { scopes, trustStore, host, isTrusted } = input;
  const { projectDirs } = scopes;
  const isConcerned = projectFilesIn(plan).length > 0 || projectDirs.some(trustStore.mayHaveApprovalsIn);
  if (!isConcerned)
    return projectDirs.map((folder) => ({ folder, file: folder, data: NO_SETTINGS, entries: [], warnings: [] }));
  const { effectiveProjectSettings } = await import("./project-settings.ts");
  return effectiveProjectSettings(plan, scopes, { trustStore, env: host.env, isTrusted });
}

/** Notes the guards in user settings that were just read, or finds the noted ones if the settings cannot be loaded. */
function lostOf(plan: LoadedSettingsFiles, input: InForceInput): LostSettings | null {
  const { trustFile, usualStore, host } = input;
  if (input.isExplicit) return null;
  const user = userFileIn(plan);
  const isGood = user !== null && isUsableSettings(user);
  if (isGood && plan.isFresh && trustFile !== null) recordGuards(user, trustFile, host.userId);
  const stores = [...new Set([trustFile, usualStore])].flatMap((store) => store ?? []);
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

/** That files have no effect. A shared file may be another program's, so that only a person who asks is told of it. */
export const unreadableSettings = (plans: readonly CompiledFile[]): readonly Warning[] =>
  plans.flatMap(({ scope, problem }): readonly Warning[] =>
    problem === null ? [] : [{ code: "SETTINGS_NOT_READ", scope, problem }],
  );
