import { lstatSync } from "node:fs";
import { dirname } from "node:path";
import { followLinks, isInside, realPathOrSame } from "./paths.ts";

/**
 * Whose files may be written. A project's links must not lead a write out of it: whoever made the project chose where they
 * lead. A user's own links may lead anywhere, such as to a folder of dotfiles, if what is there is the user's as well.
 */
export type WriteRoot =
  | { readonly kind: "project"; readonly folder: string }
  | { readonly kind: "user"; readonly userId: number };

/** Why nothing may be written at a path, in words; null: it may. All links on the way are followed, dangling ones too. */
export function whyNotWritable(root: WriteRoot, path: string): string | null {
  const real = followLinks(path);
  if (root.kind === "project") {
    return isInside(realPathOrSame(root.folder), real)
      ? null
      : `a link in the path leads out of the project, to ${real}`;
  }
  const owner = ownerOf(real);
  return owner === root.userId || owner === 0 ? null : `${real} belongs to another user (uid ${owner})`;
}

/** The owner of a file, or of the folder that it would be made in. */
function ownerOf(path: string): number {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return stats === undefined && path !== dirname(path) ? ownerOf(dirname(path)) : (stats?.uid ?? -1);
}
