import { basename, dirname } from "node:path";
import type { PackSource } from "./pack.ts";
import { partsOf } from "./source.ts";

/** `repo` or `org@repo`: the name of a folder in `.kodelet/plugins`, which becomes the prefix of the pack's hooks. */
const NAME = /^\w[\w.-]{0,99}(?:@\w[\w.-]{0,99})?$/;

export const isPackName = (text: string): boolean => NAME.test(text) && !text.endsWith(".lock");

/** The name as it was typed: `org/repo`, as hooks are called, means `org@repo`. */
export const packNameOf = (typed: string): string => typed.replace("/", "@");

/** The name of a pack by its source; null if nothing in it can be a name. */
export function defaultPackName(source: PackSource): string | null {
  const name = nameIn(source);
  return isPackName(name) ? name : null;
}

function nameIn(source: PackSource): string {
  if (source.kind === "npm") return joined(source.name.replace(/^@/, "").split("/"));
  if (source.kind === "folder") return cleaned(folderName(source.path));
  const parts = partsOf(source.url)
    .path.replace(/[?].*$/, "")
    .replace(/\/+$/, "")
    .replace(/\.git$/, "")
    .split("/")
    .filter(Boolean);
  // The folders above a repository on this disk are no organisation.
  const own = joined(source.url.startsWith("file:") ? parts.slice(-1) : parts.slice(-2));
  return source.folder === null ? own : `${own}-${cleaned(basename(source.folder))}`;
}

const folderName = (path: string): string => (basename(path) === ".kodelet" ? basename(dirname(path)) : basename(path));

const joined = (parts: readonly string[]): string => parts.map(cleaned).join("@");

const cleaned = (part: string): string => part.replace(/[^\w.-]/g, "-").replace(/^[.-]+/, "");
