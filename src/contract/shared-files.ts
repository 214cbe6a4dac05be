/**
 * Files of a project folder that may declare hooks in Base Coat's way and that other programs read as well. Only their
 * `hooks` count here; each is approved by itself, beside the project's own settings file.
 */
export const SHARED_FILES = [".kodelet/mcp.json", "mcp.json", ".mcp.json", "hooks.json"] as const;

/** The shared file that a path of this folder is; null: another file, such as the folder's own settings file. */
export const sharedFileAt = (folder: string, path: string): string | null =>
  SHARED_FILES.find((name) => path === `${folder}/${name}`) ?? null;
