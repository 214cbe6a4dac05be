import { basename, dirname } from "node:path";
import { partsOf } from "./source.ts";

/** The origin of a pack, without its revision. */
export type PackSource =
  | { readonly kind: "git"; readonly url: string; readonly folder: string | null }
  | { readonly kind: "npm"; readonly name: string }
  /** Absolute, or relative to the folder that holds `.kodelet`. */
  | { readonly kind: "folder"; readonly path: string };

/** A source, and the tag, branch, commit or version that was asked for; null: the newest. */
export interface WantedPack {
  readonly source: PackSource;
  readonly revision: string | null;
}

/** The resolved revision of a fetched pack. A folder has only the hashes of its files. */
export interface Pin {
  readonly commit?: string;
  readonly version?: string;
  readonly integrity?: string;
}

/** A file of a pack. Its path begins with `hooks/` or `tests/`, except for settings and notes. */
export interface PackFile {
  readonly path: string;
  readonly bytes: Buffer;
  readonly isExecutable: boolean;
}

/** A pack in memory: fetched, checked, and not yet written anywhere. */
export interface Pack extends WantedPack {
  readonly pin: Pin;
  /** In byte order of their paths. */
  readonly files: readonly PackFile[];
}

/** The source as it is typed and stored, without the revision. */
export function sourceText(source: PackSource): string {
  if (source.kind === "npm") return `npm:${source.name}`;
  if (source.kind === "folder") return source.path;
  return source.folder === null ? source.url : `${source.url}#${source.folder}`;
}

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
