import { namesIn, tableOf } from "../protocol/json/table.ts";
import { ownValue } from "../protocol/own-value.ts";
import { matchesName } from "../shell/globs.ts";
import { UNKNOWN } from "../shell/unknown.ts";
import table from "./credential-files.json" with { type: "json" };

/** A file that holds credentials. `likely`: files of this name often hold something else. */
export interface Credential {
  readonly what: string;
  readonly certainty: "sure" | "likely";
}

/**
 * Files of one kind. The patterns are for a path in lower case without the suffix of a copy. They are compiled when a path
 * contains a clue: to compile all patterns for a path without any clue would take a millisecond.
 */
interface CredentialKind extends Credential {
  /** Texts, separated by `|`, of which every such path contains one. */
  readonly clues: string;
  readonly path: string;
  /** Files of this folder or name that hold no secret: a pattern, or names of shared patterns. */
  readonly except?: string;
}

interface CredentialTable {
  /** Parts that several patterns share, by the names with which `{name}` stands for them. */
  readonly patterns: Readonly<Record<string, string>>;
  readonly kinds: readonly CredentialKind[];
}

const { patterns, kinds } = tableOf<CredentialTable>(table);

const KINDS = kinds.map(({ clues, path, except, ...credential }) => {
  const parts = clues.split("|");
  const [isPath, isException] = [matcher(path), except === undefined ? () => false : matcher(except)];
  const matches = (name: string) => parts.some((part) => name.includes(part)) && isPath(name) && !isException(name);
  return { credential, matches };
});

function matcher(pattern: string): (name: string) => boolean {
  let compiled: RegExp | null = null;
  const withShared = () =>
    pattern.replace(/\{([a-z ]+)\}/g, (whole, shared: string) => ownValue(patterns, shared) ?? whole);
  return (name) => {
    compiled ??= new RegExp(withShared());
    return compiled.test(name);
  };
}

const DATA = String.raw`(?:\.(?:json|ya?ml|toml|ini|db|sqlite|txt|xml|conf|cfg|lock|bin|dat))?`;

/** Files with such names in hidden folders of the home, in which programs store their logins. */
const LOGIN_OF_PROGRAM = new RegExp(
  `/(?:[\\w.-]*[._-])?(?:auth|oauth|credentials?|creds|tokens?|secrets?|passwords?)(?:[._-][\\w-]*)?${DATA}$|/(?:mcp-oauth|mcp-secrets|oauth|credentials|secrets)(?:/|$)`,
);

/** Folders that mostly hold keys: reading them is normal, sending them is not. */
export const KEY_FOLDER = /\/(?:certs?|keys|private|secrets?|credentials|ssl|tls)(?:\/\*)?$/i;

const COPY_SUFFIX =
  /(?:~|[._-](?:gz|bz2|xz|zst|lz4|zip|b64|bak|backup|old|orig|save|saved|copy|tmp|swp|swo|prev|\d{1,14}))+$/;

/** The credentials in a file; null for any other file. A glob that may match such a file is one. */
export function credentialAt(path: string, home: string): Credential | null {
  const lower = path.toLowerCase();
  const plain = lower.replace(COPY_SUFFIX, "");
  const globbed = namesOfGlob(lower);
  const names = [...new Set([lower, plain, ...globbed, ...globbed.map((name) => name.replace(COPY_SUFFIX, ""))])];
  for (const name of names) {
    const kind = KINDS.find(({ matches }) => matches(name));
    if (kind !== undefined) return kind.credential;
  }
  return isLoginOfProgram(plain, home.toLowerCase()) ? { what: "the login of a program", certainty: "sure" } : null;
}

function isLoginOfProgram(path: string, home: string): boolean {
  const below = path.startsWith(`${home}/`) ? path.slice(home.length) : null;
  if (
    below === null ||
    !/^\/(?:\.|library\/)/.test(below) ||
    /\/(?:node_modules|site-packages|registry|src|skills|plugins|docs|cache|\.cache)\//.test(below)
  )
    return false;
  return LOGIN_OF_PROGRAM.test(below);
}

/** Sample names to match against a glob or an unknown part: `.env*`, `id_?sa`, `~/.ssh/*`. */
const SAMPLES_OF_NAMES = namesIn(
  ".env .env.local .env~ id_rsa id_ed25519 credentials .npmrc .netrc .pypirc .git-credentials shadow",
);

function namesOfGlob(path: string): readonly string[] {
  if (!/[*?[\0]/.test(path)) return [];
  const slash = path.lastIndexOf("/");
  const [folder, name] = [path.slice(0, slash + 1), path.slice(slash + 1)];
  const literal = name.replace(/\[[^\]]*\]|[^a-z0-9]/g, "");
  const isWide = literal.length < 2 && !/\/(?:\.ssh|\.aws)\/$/.test(folder);
  if (isWide || (name.includes(UNKNOWN) && literal.length < 2 && !folder.includes("/.ssh/"))) return [];
  // A set of characters may be any of them.
  const glob = name.replace(/\[[^\]]*\]/g, "?").replace(/[*\0]+/g, "*");
  return glob.length > MOST_GLOB
    ? []
    : SAMPLES_OF_NAMES.filter((one) => matchesName(one, glob)).map((one) => folder + one);
}

const MOST_GLOB = 100;

/** The files with credentials that a path names: for a glob the usual ones that it matches. */
export function credentialNames(path: string): readonly string[] {
  const names = namesOfGlob(path);
  return names.length === 0 ? [path] : names;
}
