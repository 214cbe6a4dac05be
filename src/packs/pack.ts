/** Where a pack comes from, without its revision. */
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

/** The state that a revision stood for when the pack was fetched. A folder has none beside the hashes of its files. */
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
