import { lstatSync } from "node:fs";
import { dirname } from "node:path";
import { rootOnlyFault } from "./machine-folder.ts";
import { followLinks, isInside, realPathOrSame } from "./paths.ts";

/**
 * The files that may be written. Links in a project must not lead a write out of it, because its author chose them. The
 * user's own links may lead anywhere, such as to a folder of dotfiles, if the target belongs to the user or to root.
 */
export type WriteRoot =
  | { readonly kind: "project"; readonly folder: string }
  | { readonly kind: "user"; readonly userId: number }
  /** What root writes for everybody: nobody else may be able to change it. */
  | { readonly kind: "machine" };

/** Why a path may not be written; null if it may. Resolves all links, dangling ones too. */
export function whyNotWritable(root: WriteRoot, path: string): string | null {
  const real = followLinks(path);
  if (root.kind === "project") {
    return isInside(realPathOrSame(root.folder), real)
      ? null
      : `a link in the path leads out of the project, to ${real}`;
  }
  if (root.kind === "machine") return rootOnlyFault(real);
  const owner = ownerOf(real);
  return owner === root.userId || owner === 0 ? null : `${real} belongs to another user (uid ${owner})`;
}

/** The owner of a file, or of the folder in which it would be created. */
function ownerOf(path: string): number {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return stats === undefined && path !== dirname(path) ? ownerOf(dirname(path)) : (stats?.uid ?? -1);
}
