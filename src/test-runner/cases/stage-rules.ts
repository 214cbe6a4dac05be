/** Variables that lead to the scratch folders, to other programs, or to hookctl. */
const PLACES = /^(PATH|HOME|TMPDIR|SHELL|PWD|XDG_.*|HOOKCTL_.*)$/;

export const isPlaceVariable = (name: string): boolean => PLACES.test(name) || !/^[A-Za-z_][A-Za-z0-9_]*$/.test(name);

/**
 * Why a file of a case cannot be laid out in the scratch project; null: it can. Git never brings a `.git` with a clone, so
 * a case may not either: its settings start programs.
 */
export function scratchPathFault(path: string): string | null {
  if (path.startsWith("/") || path.startsWith("~")) return "it is not relative to the project";
  if (path.includes("\0") || path.includes("\\")) return "it is no path";
  const parts = path.split("/");
  if (parts.includes("..")) return "it leads out of the project";
  if (parts.some((part) => part === "" || part === ".")) return "it is no path of a file";
  return parts.some((part) => part.toLowerCase() === ".git") ? "a case brings no .git" : null;
}
