import { basename } from "node:path";
import type { PackProblem } from "../../src/protocol/problem.ts";
import { fail, ok, type Result } from "../../src/protocol/result.ts";
import { isPathArgument } from "../../src/protocol/text/shell-quote.ts";
import type { LockedPackData } from "./lock-schema.ts";

/** The origin of a pack, without its revision. */
export type PackSource =
  | { readonly kind: "git"; readonly url: string; readonly folder: string | null }
  | { readonly kind: "npm"; readonly name: string }
  /** Absolute, or relative to the folder that holds `.kodelet`. */
  | { readonly kind: "folder"; readonly path: string };

/** A source, and the requested tag, branch, commit or version; null stands for the newest. */
export interface WantedPack {
  readonly source: PackSource;
  readonly revision: string | null;
}

/** The resolved revision of a fetched pack. A folder has only the hashes of its files. */
export type Pin = Pick<LockedPackData, "commit" | "version" | "integrity">;

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
  /** Paths in its folders that are neither hooks, settings nor test cases. */
  readonly leftOut: readonly string[];
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

/** The name as hooks are called and people type it. */
export const shownName = (name: string): string => name.replace("@", "/");

/** The name of a pack by its source; null if nothing in it can be a name. */
export function defaultPackName(source: PackSource): string | null {
  const name = nameIn(source);
  return isPackName(name) ? name : null;
}

function nameIn(source: PackSource): string {
  if (source.kind === "npm") return joined(source.name.replace(/^@/, "").split("/"));
  if (source.kind === "folder") return cleaned(basename(source.path.replace(/\/\.kodelet\/*$/, "")));
  const { path } = partsOf(source.url);
  const parts = path
    .replace(/[?].*$/, "")
    .replace(/\/+$/, "")
    .replace(/\.git$/, "")
    .split("/")
    .filter(Boolean);
  // The folders above a repository on this disk are no organisation.
  const name = joined(parts.slice(source.url.startsWith("file:") ? -1 : -2));
  return source.folder === null ? name : `${name}-${cleaned(basename(source.folder))}`;
}

const joined = (parts: readonly string[]): string => parts.map(cleaned).join("@");

const cleaned = (part: string): string => part.replace(/[^\w.-]/g, "-").replace(/^[.-]+/, "");

const URL_SCHEME = /^(https?|ssh|git|file):\/\//;
/** `user@host:path`, as ssh and scp have it. */
const SCP_LIKE = /^\w[\w.-]*@\w[\w.-]*:(?![:/])./;
const GITHUB_SHORTHAND = /^\w[\w.-]*\/\w[\w.-]*(?=#|$)/;
const NPM_NAME = /^(?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/;
/** A revision that git and npm cannot read as an option, a range of commits or another kind of source. */
const REVISION = /^[~^]?\w[\w.+-]*(?:\/\w[\w.+-]*)*$/;
const LONGEST = 1000;

/** Reads `SOURCE[@REV]`: a URL of git, `owner/repo` of GitHub, `npm:NAME`, or a folder that begins with `./`, `../` or `/`. */
export function parsePackArgument(text: string): Result<WantedPack, PackProblem> {
  if (isPathArgument(text)) return ok({ source: { kind: "folder", path: text }, revision: null });
  const at = revisionStart(text);
  const revision = at === -1 ? null : text.slice(at + 1);
  const source = parseSource(at === -1 ? text : text.slice(0, at));
  if (!source.ok) return source;
  if (revision !== null && !isRevision(revision)) {
    return badSource(text, `"${revision}" cannot be a tag, a branch, a commit or a version`);
  }
  return ok({ source: source.value, revision });
}

export const isRevision = (text: string): boolean =>
  text.length <= LONGEST && REVISION.test(text) && !text.includes("..") && !text.endsWith(".lock");

/** Reads a source without a revision, such as the source in a lock file. */
export function parseSource(text: string): Result<PackSource, PackProblem> {
  if (isPathArgument(text)) return ok({ kind: "folder", path: text });
  if (text.length > LONGEST || !/^[\x21-\x7e]+$/.test(text)) {
    return badSource(text, "it is too long, or has spaces or characters that a URL must encode");
  }
  if (text.startsWith("npm:")) {
    const name = text.slice("npm:".length);
    if (NPM_NAME.test(name)) return ok({ kind: "npm", name });
    return badSource(text, `"${name}" is not the name of an npm package`);
  }
  const shorthand = GITHUB_SHORTHAND.exec(text)?.[0];
  if (shorthand === undefined) return parseGit(text, text);
  const url = `https://github.com/${shorthand.replace(/\.git$/, "")}.git`;
  return parseGit(`${url}${text.slice(shorthand.length)}`, text);
}

function parseGit(full: string, text: string): Result<PackSource, PackProblem> {
  const [url = "", folder, ...more] = full.split("#");
  if (!URL_SCHEME.test(url) && !SCP_LIKE.test(url)) {
    return badSource(text, "it is not a git URL, owner/repo, npm:NAME or a folder");
  }
  if (more.length > 0 || (folder !== undefined && !isFolderInRepository(folder))) {
    return badSource(text, "# is followed by one folder of the repository, such as #packs/git");
  }
  const { authority, path } = partsOf(url);
  // A password would be committed with the lock file.
  if ((/^https?:/.test(url) && authority.includes("@")) || /:.*@/.test(authority)) {
    return badSource(text.replace(authority, "…"), "it contains a user or a password: use git's credential helper");
  }
  if (authority.startsWith("-") || path.replaceAll("/", "") === "") return badSource(text, "it names no repository");
  return ok({ kind: "git", url, folder: folder ?? null });
}

const isFolderInRepository = (folder: string): boolean =>
  folder.split("/").every((part) => part !== "" && part !== "." && part !== ".." && !part.startsWith("-"));

/** The start of `@REV`, or -1. An `@` before the path of a URL names a user, an `@` after a slash a scope. */
function revisionStart(text: string): number {
  const at = text.lastIndexOf("@");
  const { path } = partsOf(text);
  const isInPath = at > text.length - path.length;
  return isInPath && text[at - 1] !== "/" && text[at - 1] !== ":" ? at : -1;
}

/** The host of a URL with its user, and what follows it. */
function partsOf(url: string): { readonly authority: string; readonly path: string } {
  const ofScp = SCP_LIKE.test(url) ? /^([^:]*):(.*)$/s.exec(url) : null;
  const [, authority = "", path = url] = /^(?:https?|ssh|git|file):\/\/([^/]*)(.*)$/s.exec(url) ?? ofScp ?? [];
  return { authority, path };
}

const badSource = (source: string, detail: string): Result<never, PackProblem> =>
  fail({ code: "PACK_BAD_SOURCE", source, detail });
