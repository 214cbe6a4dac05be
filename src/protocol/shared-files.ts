/** Reyn's own files: what an operator wrote, and what was added at run time. */
const REYN_FILES = ["reyn.yaml", ".reyn/hooks.yaml"] as const;

/**
 * Files of a project folder that may declare hooks in Base Coat's or Reyn's way and that other programs read as well. Only
 * their `hooks`, and Reyn's limit for them, count here; each is approved by itself, beside the project's own settings file.
 */
export const SHARED_FILES = [".kodelet/mcp.json", "mcp.json", ".mcp.json", "hooks.json", ...REYN_FILES] as const;

/** The shared file that a path of this folder is; null: another file, such as the folder's own settings file. */
export const sharedFileAt = (folder: string, path: string): string | null =>
  SHARED_FILES.find((name) => path === `${folder}/${name}`) ?? null;

/** Is this one of Reyn's files, in the folder that it belongs to? */
export const isReynFile = (folder: string, path: string): boolean =>
  REYN_FILES.some((name) => path === `${folder}/${name}`);
