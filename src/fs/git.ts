import { basename, dirname, join, relative, resolve } from "node:path";
import { disk } from "./disk.ts";
import { fileKind, realPathOrNull } from "./paths.ts";
import { readTextFile } from "./read-file.ts";

/** The repository and branch of a folder; null if git's files do not name them. */
export interface Checkout {
  /** `owner/name` of the remote, without host or credentials; the folder's name if there is no remote. */
  readonly repository: string | null;
  /** Null on a detached HEAD. */
  readonly branch: string | null;
}

const LONGEST_FILE_BYTES = 1024 * 1024;
const LONGEST_NAME = 200;
/** The longest URL that is parsed: the patterns below take more than linear time on other text. */
const LONGEST_LINE = 1000;

/** Reads the repository and branch of a folder from git's files, and never starts git. */
export function readCheckout(folder: string): Checkout {
  const place = findGitFolders(folder);
  if (place === null) return { repository: null, branch: null };
  const branch = /^ref: refs\/heads\/(\S+)\s*$/.exec(textOf(join(place.gitDir, "HEAD")))?.[1] ?? null;
  const url = remoteUrl(textOf(join(place.commonDir, "config")));
  return {
    repository: (url === null ? null : repositoryIn(url)) ?? basename(place.mainFolder),
    // Git writes this to HEAD if its refs are not stored as files.
    branch: branch === ".invalid" ? null : branch,
  };
}

/**
 * The folder of the main checkout that corresponds to a folder of a linked worktree; null if it is in none. A worktree names
 * its repository in a file that anybody could write, so that counts only if the repository names this worktree, too.
 */
export function mainCheckoutOf(folder: string): string | null {
  const found = findGitFolders(folder);
  if (found === null) return null;
  const { root, gitDir } = found;
  const link = join(root, ".git");
  if (!isPlainFile(link) || !isPlainFile(join(gitDir, "commondir"))) return null;
  const [own, common] = [realPathOrNull(gitDir), realPathOrNull(found.commonDir)];
  if (own === null || common === null || basename(common) !== ".git") return null;
  if (dirname(own) !== join(common, "worktrees")) return null;
  const named = join(own, "gitdir");
  const back = isPlainFile(named) ? textOf(named).trim() : "";
  if (back === "" || realPathOrNull(resolve(own, back)) !== realPathOrNull(link)) return null;
  return join(dirname(common), relative(root, folder));
}

/** A link does not count: it could lead to the files of a real worktree. */
function isPlainFile(path: string): boolean {
  try {
    return disk.lstatSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
  } catch {
    return false;
  }
}

interface GitFolders {
  /** The folder that holds `.git`. */
  readonly root: string;
  readonly gitDir: string;
  /** The git folder of the repository, which a linked worktree shares. */
  readonly commonDir: string;
  readonly mainFolder: string;
}

function findGitFolders(folder: string): GitFolders | null {
  for (let at = resolve(folder); ; at = dirname(at)) {
    const found = join(at, ".git");
    const kind = fileKind(found);
    if (kind === "folder") return { root: at, gitDir: found, commonDir: found, mainFolder: at };
    if (kind === "file") return linkedFolders(at, textOf(found));
    if (at === dirname(at)) return null;
  }
}

/** Of a worktree or a submodule: `.git` is a file that names the git folder. */
function linkedFolders(root: string, text: string): GitFolders | null {
  const claimed = /^gitdir: (.+)$/m.exec(text)?.[1];
  if (claimed === undefined) return null;
  const gitDir = resolve(root, claimed.trim());
  const common = textOf(join(gitDir, "commondir")).trim();
  if (common === "") return { root, gitDir, commonDir: gitDir, mainFolder: root };
  const commonDir = resolve(gitDir, common);
  return { root, gitDir, commonDir, mainFolder: basename(commonDir) === ".git" ? dirname(commonDir) : commonDir };
}

/** The URL of `origin`, else of the first remote. */
function remoteUrl(config: string): string | null {
  const urls = new Map<string, string>();
  let remote: string | null = null;
  for (const line of config.split("\n").map((one) => one.trim())) {
    if (line.length > LONGEST_LINE) continue;
    if (line.startsWith("[")) remote = /^\[\s*remote\s+"([^"\]]*)"\s*\]/i.exec(line)?.[1] ?? null;
    const equals = line.indexOf("=");
    const isUrl = equals > 0 && line.slice(0, equals).trimEnd().toLowerCase() === "url";
    if (remote !== null && isUrl && !urls.has(remote)) urls.set(remote, unquoted(line.slice(equals + 1).trim()));
  }
  return urls.get("origin") ?? [...urls.values()][0] ?? null;
}

const unquoted = (text: string): string => (/^".*"$/.test(text) ? text.slice(1, -1).trim() : text);

/** Extracts `owner/name` from a URL. The part before the last `@` may hold a password, so it is removed first. */
function repositoryIn(url: string): string | null {
  const scheme = /^[a-z][a-z0-9+.-]*:\/\//i.exec(url)?.[0] ?? "";
  // `ext::…` is a command line, not a URL.
  if (url.includes("::")) return null;
  const rest = url.slice(scheme.length).replace(/[?#].*$/, "");
  const place = rest.slice(rest.lastIndexOf("@") + 1);
  const isLocal = /^file:/i.test(scheme) || (scheme === "" && !/^[^/\\]+:/.test(place));
  const path = isLocal
    ? (place.split(/[/\\]/).filter(Boolean).at(-1) ?? "")
    : place.replace(/^[^/:]*(?::\d+(?=\/))?[/:]/, "");
  const name = path.replace(/^\/+|\/+$/g, "").replace(/\.git$/, "");
  return /^[\w.~+-]+(?:\/[\w.~+-]+)*$/.test(name) && name.length <= LONGEST_NAME ? name : null;
}

function textOf(path: string): string {
  try {
    return disk.statSync(path).size > LONGEST_FILE_BYTES ? "" : readTextFile(path);
  } catch {
    return "";
  }
}
