import type { DeclaredEntry, McpServer, ResolvedEntry } from "./entry.ts";
import type { AddedRules, GuardsSettings } from "./guard-settings.ts";
import type { RulesSettings } from "./rule-settings.ts";
import type { CageSettings, GeneralSettings, Override } from "./setting-rows.ts";

/** The file in which new user settings are written. */
export const USER_SETTINGS_FILE = "~/.kodelet/hooks.json";

/** What a person says for one project, in their own settings. */
export interface ProjectRules extends RulesSettings, Partial<Pick<SettingsFile, "settings" | "overrides">> {
  readonly guards?: GuardsSettings;
  readonly cage?: CageSettings;
}

/** A validated settings file. Durations are in milliseconds; keys that were not set are absent. */
export interface SettingsFile {
  readonly settings: GeneralSettings;
  readonly overrides: Readonly<Record<string, Override>>;
  readonly guards: GuardsSettings;
  /** Absent without any. */
  readonly rules?: RulesSettings;
  readonly guard_rules?: readonly AddedRules[];
  readonly cage?: CageSettings;
  readonly projects?: Readonly<Record<string, ProjectRules>>;
  readonly hooks: readonly DeclaredEntry[];
  readonly mcp_servers: Readonly<Record<string, McpServer>>;
}

/** The order of hooks at post events. `dialect`: each hook's own dialect decides; the others apply to all hooks. */
export type PostOrder = NonNullable<GeneralSettings["post_order"]>;

export type PersonProof = NonNullable<GeneralSettings["person"]>;
/** How a caller proves to be a person before a command may weaken protection, the weakest proof first. */
export const PERSON_PROOFS = ["none", "terminal", "sudo", "polkit"] as const satisfies readonly PersonProof[];

/** The validated settings of one scope: a project folder or the user. Durations are in milliseconds. */
export interface ScopeSettings {
  readonly settings: GeneralSettings;
  readonly overrides: Readonly<Record<string, Override>>;
  readonly guards: GuardsSettings;
  /** The person's rules; absent without any. */
  readonly rules?: RulesSettings;
  /** Rules that it adds to guards; absent without any. */
  readonly guard_rules?: readonly AddedRules[];
  readonly cage?: CageSettings;
  /** What the user's settings say for single projects, by their folders. */
  readonly projects?: Readonly<Record<string, ProjectRules>>;
  /** The hooks that the file declares; a `tool` entry comes with its MCP server. */
  readonly entries: readonly ResolvedEntry[];
}

export const NO_SETTINGS: ScopeSettings = { settings: {}, overrides: {}, guards: {}, entries: [] };

/** Reyn's own files: one written by the operator, one by Reyn at run time. */
const REYN_FILES = ["reyn.yaml", ".reyn/hooks.yaml"] as const;

/**
 * Files of a project that other programs read, too, and that may declare hooks in Base Coat's or Reyn's format. hookctl
 * reads their `hooks`, MCP servers and Reyn's turn limit. Each file is approved separately.
 */
export const SHARED_FILES = [".kodelet/mcp.json", "mcp.json", ".mcp.json", "hooks.json", ...REYN_FILES] as const;

/** The name of the shared file at this path, or null if it is another file. */
export const sharedFileAt = (folder: string, path: string): string | null =>
  SHARED_FILES.find((name) => path === `${folder}/${name}`) ?? null;

/** True if the path is one of Reyn's files in this folder. */
export const isReynFile = (folder: string, path: string): boolean =>
  REYN_FILES.some((name) => path === `${folder}/${name}`);

/** The names of a pack's settings file, beside its hooks folder. A pack has one of them. */
export const PACK_SETTINGS_FILES = ["hooks.json", "hooks.yaml"] as const;

/** The prefix of the names of a plugin's hooks: the folder `org@repo` has `org/repo/`. */
export const pluginPrefix = (folderName: string): string => `${folderName.replace(AFTER_ORG, "/")}/`;

/** The first @ that is not at the beginning, because a name that begins with a slash would be a path. */
const AFTER_ORG = /(?<=^[^@]+)@/;

const IN_PACK = /^(\.kodelet\/plugins\/[^/]+)\/hooks\.(?:json|yaml)$/;

/** The folder of the pack, relative to the project, whose settings file this path is; null for another file. */
export const packOfSettings = (project: string, path: string): string | null =>
  path.startsWith(`${project}/`) ? (IN_PACK.exec(path.slice(project.length + 1))?.[1] ?? null) : null;

/**
 * The separately approved part of a project's settings: the name of a shared file, the folder of a pack, or null for
 * the project's own settings in a file of any name.
 */
export const settingsSlotAt = (project: string, path: string): string | null =>
  sharedFileAt(project, path) ?? packOfSettings(project, path);
