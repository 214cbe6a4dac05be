import { lstatSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import type { HookFolder } from "../../discover/find-candidates.ts";
import { hookFolders } from "../../engine/hooks/candidates.ts";
import type { RunContext } from "../../engine/run-context.ts";
import { isFolder, realPathOrSame } from "../../fs/paths.ts";
import { pathErrno } from "../../protocol/errno.ts";
import { isPathArgument, quoteHookName } from "../../protocol/text/shell-quote.ts";

/** A place that was named on the command line. */
export interface PathArgument {
  readonly folder: HookFolder;
  /** Only this file of the folder; null: all. */
  readonly file: string | null;
  readonly again: (entry: { readonly name: string; readonly path: string }) => string;
}

/** The file or folder that an argument names; null if it can only be the name of a hook. */
export function resolvePathArgument(word: string, context: RunContext, cwd: string): PathArgument | null {
  if (!isPathArgument(word)) return null;
  const path = resolve(cwd, word);
  const isAll = isFolder(path);
  if (!isAll && !exists(path)) return null;
  const inner = isAll ? hooksBelow(path) : "";
  const folder = folderAt(isAll ? resolve(path, inner) : dirname(path), context);
  const start = isAll ? `${word.replace(/\/+$/, "")}/${inner}` : `${dirname(word)}/`;
  return {
    folder,
    file: isAll ? null : join(folder.path, basename(path)),
    again: (entry) => quoteHookName(start + basename(entry.path)),
  };
}

/** Where the hooks are in a project's folder, or in its .kodelet. */
const hooksBelow = (path: string): string =>
  [".kodelet/hooks/", ...(basename(path) === ".kodelet" ? ["hooks/"] : [])].find((way) => isFolder(join(path, way))) ??
  "";

/** A folder that belongs to this call anyway keeps its source, and with it its rules; any other is like a project's. */
function folderAt(path: string, context: RunContext): HookFolder {
  const real = realPathOrSame(path);
  const known = hookFolders(context).find((folder) => realPathOrSame(folder.path) === real);
  return known ?? { path, source: "explicit", projectDir: context.scopes.projectDir, prefix: "" };
}

function exists(path: string): boolean {
  try {
    lstatSync(path);
    return true;
  } catch (error) {
    pathErrno(error);
    return false;
  }
}

export const hookArgument = ({ name }: { readonly name: string }): string => quoteHookName(name);
