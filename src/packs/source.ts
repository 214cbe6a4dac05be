import type { PackProblem } from "../protocol/problem.ts";
import { fail, ok, type Result } from "../protocol/result.ts";
import { isPathArgument } from "../protocol/text/shell-quote.ts";
import type { PackSource, WantedPack } from "./pack.ts";

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

/** Reads a source without a revision, such as one in a lock file. */
export function parseSource(text: string): Result<PackSource, PackProblem> {
  if (isPathArgument(text)) return ok({ kind: "folder", path: text });
  if (text.length > LONGEST || !/^[\x21-\x7e]+$/.test(text)) {
    return badSource(text, "it is too long, or has spaces or characters that a URL must encode");
  }
  if (text.startsWith("npm:")) return parseNpm(text);
  const shorthand = GITHUB_SHORTHAND.exec(text)?.[0];
  const full =
    shorthand === undefined
      ? text
      : `https://github.com/${shorthand.replace(/\.git$/, "")}.git${text.slice(shorthand.length)}`;
  return parseGit(full, text);
}

function parseNpm(text: string): Result<PackSource, PackProblem> {
  const name = text.slice("npm:".length);
  return NPM_NAME.test(name)
    ? ok({ kind: "npm", name })
    : badSource(text, `"${name}" is not the name of an npm package`);
}

function parseGit(full: string, text: string): Result<PackSource, PackProblem> {
  const [url = "", folder, ...more] = full.split("#");
  if (!URL_SCHEME.test(url) && !SCP_LIKE.test(url)) {
    return badSource(text, "it is neither a URL of git, owner/repo, npm:NAME nor a folder");
  }
  if (more.length > 0 || (folder !== undefined && !isFolderInRepository(folder))) {
    return badSource(text, "after # stands one folder of the repository, such as #packs/git");
  }
  const { authority, path } = partsOf(url);
  // A password would be committed with the lock file.
  if ((/^https?:/.test(url) && authority.includes("@")) || /:.*@/.test(authority)) {
    return badSource(text.replace(authority, "…"), "it holds a user or a password: let git ask its credential helper");
  }
  if (authority.startsWith("-") || path.replaceAll("/", "") === "") return badSource(text, "it names no repository");
  return ok({ kind: "git", url, folder: folder ?? null });
}

const isFolderInRepository = (folder: string): boolean =>
  folder.split("/").every((part) => part !== "" && part !== "." && part !== ".." && !part.startsWith("-"));

/** The start of `@REV`; -1: there is none. An `@` before the path of a URL names a user, one after a slash a scope. */
function revisionStart(text: string): number {
  const at = text.lastIndexOf("@");
  const { path } = partsOf(text);
  const isInPath = at > text.length - path.length;
  return isInPath && text[at - 1] !== "/" && text[at - 1] !== ":" ? at : -1;
}

/** The host of a URL with its user, and what follows it. */
export function partsOf(url: string): { readonly authority: string; readonly path: string } {
  const afterScheme = url.replace(URL_SCHEME, "");
  if (afterScheme !== url) {
    const slash = afterScheme.indexOf("/");
    return slash === -1
      ? { authority: afterScheme, path: "" }
      : { authority: afterScheme.slice(0, slash), path: afterScheme.slice(slash) };
  }
  const colon = SCP_LIKE.test(url) ? url.indexOf(":") : -1;
  return { authority: url.slice(0, Math.max(0, colon)), path: url.slice(colon + 1) };
}

const badSource = (source: string, detail: string): Result<never, PackProblem> =>
  fail({ code: "PACK_BAD_SOURCE", source, detail });
