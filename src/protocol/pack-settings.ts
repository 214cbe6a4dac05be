import { sharedFileAt } from "./setting-rows.ts";

/** The names of a settings file of a pack, beside its hooks folder. A pack has one of them. */
export const PACK_SETTINGS_FILES = ["hooks.json", "hooks.yaml"] as const;

/** The prefix of the names of a plugin's hooks: the folder `org@repo` has `org/repo/`. */
export const pluginPrefix = (folderName: string): string => `${folderName.replace(AFTER_ORG, "/")}/`;

/** The first @ that is not at the beginning, because a name that begins with a slash would be a path. */
const AFTER_ORG = /(?<=^[^@]+)@/;

const IN_PACK = /^(\.kodelet\/plugins\/[^/]+)\/hooks\.(?:json|yaml)$/;

/** The folder of the pack, relative to the project, whose settings file this path is; null: it is another file. */
export const packOfSettings = (project: string, path: string): string | null =>
  path.startsWith(`${project}/`) ? (IN_PACK.exec(path.slice(project.length + 1))?.[1] ?? null) : null;

/**
 * The part of a project's settings that is approved by itself: the name of a shared file, the folder of a pack, or null
 * for the project's own settings, whatever the name of their file.
 */
export const settingsSlotAt = (project: string, path: string): string | null =>
  sharedFileAt(project, path) ?? packOfSettings(project, path);
