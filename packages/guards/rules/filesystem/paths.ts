import { posix } from "node:path";
import { nameSet, namesIn } from "../../../../src/protocol/json/table.ts";
import { isWithin } from "../../../../src/protocol/text/text.ts";
import type { Call, CommandPlace } from "../../command/call.ts";
import { optionValues, parseOptions } from "../../command/options.ts";
import { resolvePath, type Zone } from "../../command/paths.ts";
import { wrapperOf } from "../../command/started/wrappers.ts";

/** Folders that a program creates again when it runs, in any location. */
const GENERATED = nameSet(
  "node_modules bower_components __pycache__ .pytest_cache .mypy_cache .ruff_cache .tox .nox .venv venv .eggs .gradle .next .nuxt .turbo .parcel-cache .svelte-kit .terraform .nyc_output .cache CMakeFiles DerivedData",
);

/** Content of these folders is a cache. */
const CACHES_OF_SYSTEM = ["/var/lib/apt/lists", "/usr/local/share/.cache"];
const CACHES_OF_HOME = namesIn(
  ".cache .npm .yarn/cache .bun/install/cache .cargo/registry .gradle/caches .m2/repository go/pkg .ivy2/cache .nuget/packages .Trash .local/share/Trash Library/Caches Library/Developer/Xcode/DerivedData",
);

/** True if the folder is a cache or generated, so that its loss costs time only. */
export function isDisposable(path: string, zone: Zone, { home }: CommandPlace): boolean {
  const name = path.slice(path.lastIndexOf("/") + 1);
  if (zone === "system")
    return path.startsWith("/var/cache/") || isWithinOne(path, CACHES_OF_SYSTEM) || isCacheOf("/root", path);
  if (zone !== "home-file" && zone !== "other" && zone !== "unknown") return false;
  return GENERATED.has(name) || isCacheOf(home, path);
}

const isCacheOf = (home: string, path: string): boolean =>
  isWithinOne(
    path,
    CACHES_OF_HOME.map((cache) => `${home}/${cache}`),
  );

const isWithinOne = (path: string, folders: readonly string[]): boolean =>
  folders.some((folder) => isWithin(path, folder));

/** Files without which the machine does not start or nobody can log in. */
export const isVitalFile = (path: string): boolean =>
  /^(?:\/private)?\/etc\/(?:passwd|shadow|group|gshadow|sudoers|fstab|crypttab|ld\.so\.preload|(?:sudoers|pam)\.d\/.*)$/.test(
    path,
  ) || /^\/boot\/.|^\/proc\/sysrq-trigger$|^\/sys\//.test(path);

/** Programs, libraries and settings of the system. */
export const isSystemFile = (path: string): boolean =>
  /^\/(?:(?:usr\/)?(?:s?bin|lib\w*)|(?:private\/)?etc)\/./.test(path);

/** Settings of the person's shell and keys. */
export const isPersonalFile = (path: string, { home }: CommandPlace): boolean =>
  path.startsWith(`${home}/`) &&
  /^(?:\.(?:bash|zsh)rc|\.(?:bash_|z)?profile|\.zshenv|\.gitconfig|\.ssh\/(?:id_[^/]*|authorized_keys|config)|\.gnupg\/(?:private-keys-v1\.d.*|pubring.*|secring.*|trustdb.*)|\.kube\/config|\.aws\/credentials)$/.test(
    path.slice(home.length + 1).replace(/\.pub$/, ""),
  );

/** Files of `.git` that hold the repository; locks, hooks and descriptions do not. A bare repository ends in `.git`. */
export const isRepositoryData = (path: string): boolean =>
  /\/\.git(?:\/(?:HEAD|index|config|packed-refs|objects|refs|logs|worktrees|modules|lfs)(?:\/.*)?|\/?[*?[].*)?$/.test(
    path,
  ) || /[^/]\.git\/(?:HEAD|packed-refs|objects|refs)(?:\/.*)?$/.test(path);

/** A hook of the repository, or all of them; samples are no hooks. */
export const isRepositoryHook = (path: string): boolean => /\/\.git\/hooks(?:\/(?!.*\.sample$)[^/]+)?$/.test(path);

/** The depth of a path below `/`. */
export const depthOf = (path: string): number => path.split("/").length - 1;

/** The call that starts a call on another machine or in a container; null for a local one. */
function boundaryOf({ parent }: Call): Call | null {
  if (parent === null) return null;
  return parent.call.isRemote ? boundaryOf(parent.call) : parent.call;
}

export const isOverSsh = (call: Call): boolean => call.isRemote && boundaryOf(call)?.program === "ssh";

interface Mount {
  readonly source: string;
  readonly target: string;
}

/** The local path of a path in a container that mounts a folder of this machine; null if it is the container's own. */
export function mountedPath(path: string, call: Call): string | null {
  const container = call.isRemote ? boundaryOf(call) : null;
  const mount = (container === null ? [] : mountsOf(container)).find(
    ({ target }) => path === target || path.startsWith(`${target.replace(/\/$/, "")}/`),
  );
  return mount === undefined ? null : posix.join(mount.source, path.slice(mount.target.length));
}

function mountsOf(container: Call): readonly Mount[] {
  const run = wrapperOf(container);
  if (run === null) return [];
  const parsed = parseOptions(run.args, run.wrapper);
  const volumes = optionValues(parsed, "-v --volume").map((word) => {
    const [source = "", target = "", mode = ""] = word.text.split(":");
    return { word, source, target, isReadOnly: /\bro\b/.test(mode) };
  });
  const mounts = optionValues(parsed, "--mount").map((word) => {
    const value = (names: string): string => new RegExp(`(?:^|,)(?:${names})=([^,]*)`).exec(word.text)?.[1] ?? "";
    const isReadOnly = /(?:^|,)(?:ro|readonly)(?:,|$|=(?:true|1))/.test(word.text);
    return { word, source: value("source|src"), target: value("target|dst|destination"), isReadOnly };
  });
  // A name without a slash is a named volume.
  return [...volumes, ...mounts]
    .filter(({ source, target, isReadOnly }) => /^[/.~]/.test(source) && target !== "" && !isReadOnly)
    .map(({ word, source, target }) => ({ source: resolvePath({ ...word, text: source }, container), target }));
}
