import { appendFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { entryNames, followLinks, isFolder, isInside, isRealFolder, pathExists } from "../../src/fs/paths.ts";
import { makeFolder } from "../../src/fs/write-file.ts";
import { namesIn, tableOf } from "../../src/protocol/json/table.ts";
import { jsonText } from "../../src/protocol/json/write.ts";
import { type Access, inMountOrder, type Place } from "../sandbox/policy.ts";
import type { Closed } from "./closed-paths.ts";
import table from "./places.json" with { type: "json" };

interface PlacesTable {
  /** What no call sees. A path below `~` is one of the home directory. */
  readonly hidden: readonly { readonly why: string; readonly paths: readonly string[] }[];
  /**
   * What package managers write. A path with `/` at its end is created where its program is installed. In the place of an
   * `own` path the calls have one for themselves, because programs outside the cage start what they find there.
   */
  readonly caches: readonly {
    readonly program: string;
    readonly paths: readonly string[];
    readonly own: readonly string[];
  }[];
  /** Folders in which agents keep plans, notes and long outputs of their tools, for these tools alone. */
  readonly ofTools: Readonly<Record<"read" | "write", readonly string[]>>;
  /** Folders of ~/.cache that calls read: programs which are too large for a second copy. */
  readonly shownInCache: string;
  /** Visible folders of the home directory that are no hidden files; the others hold other projects and documents. */
  readonly shown: string;
  /** Files and folders of a project that start programs outside the cage. */
  readonly closedInProject: readonly string[];
  /** The folder of temporary files that an agent makes for one call, as a pattern of names: it reads there what the call wrote. */
  readonly sharedWithCall: string;
  /** Variables that lead to programs outside. */
  readonly variables: string;
  /** Settings of git that start programs. */
  readonly gitKeys: string;
}

const { hidden, caches, closedInProject, ofTools, ...names } = tableOf<PlacesTable>(table);
const shown = namesIn(names.shown);

export const FILES_OF_TOOLS = ofTools;

export const STARTS_LATER = "it starts programs later";

export const { sharedWithCall: SHARED_WITH_CALL } = names;

/** Variables that lead to programs outside. */
export const OUTSIDE_VARIABLES = namesIn(names.variables);

/** A place of the cage, with the reason that a person reads. */
export interface CagePlace extends Place {
  readonly why: string;
}

/** What decides on the places of a call. */
export interface CageFacts {
  readonly home: string;
  /** The root folder of the project. */
  readonly project: string;
  /** What no call may write or create in the project. */
  readonly closed: Closed;
  /** The folder of the cage in the state of the user. */
  readonly folder: string;
  /** The folder that is `/tmp` inside. */
  readonly temp: string;
  /** The folder of temporary files that the agent shares with its calls. */
  readonly sharedTemp: string;
  /** Sockets of other programs; a read-only mount does not keep a call from them. */
  readonly sockets: readonly string[];
  /** What is seen in the place of a hidden file. */
  readonly emptyFile: string;
  /** The folders in which programs are searched. */
  readonly searched: readonly string[];
  /** Paths of the settings, as they are written there. */
  readonly write: readonly string[];
  readonly read: readonly string[];
  /** False: names are not resolved by services of this machine either. */
  readonly isNetworkOpen: boolean;
  /** Files inside which show another file of this machine. */
  readonly replaced: readonly Required<Pick<CagePlace, "path" | "from" | "why">>[];
}

/**
 * Everything that a call inside may not simply read, or may write. Only what exists is a place: what is missing could not be
 * mounted without leaving something behind.
 */
export function cagePlaces(facts: CageFacts): readonly CagePlace[] {
  const { home, project, temp, replaced, closed } = facts;
  const inHome = (path: string): string => inFolders(path, facts);
  const places: CagePlace[] = [];
  const add = (access: Access, path: string, why: string, from?: string): void => {
    const real = followLinks(path);
    if (real === "/" || !pathExists(real)) return;
    const shownAs = access === "hidden" && !isRealFolder(real) ? facts.emptyFile : from;
    places.push({ path: real, access, why, ...(shownAs !== undefined && { from: shownAs }) });
  };
  const addOwn = (path: string): void => {
    const own = join(facts.folder, "caches", path.slice(2));
    makeFolder(own);
    add("own", inHome(path), "a cache of the calls", own);
  };
  const isGranted = (socket: string): boolean => {
    const place = inMountOrder(places).findLast(({ path }) => isInside(path, socket));
    const isWritable = place !== undefined && place.access !== "read";
    return isWritable || facts.read.some((path) => isInside(followLinks(inHome(path)), socket));
  };
  add("read", home, "your files");
  for (const path of otherFolders(facts)) add("hidden", path, "not of this project");
  for (const { why, paths } of hidden) for (const path of paths) add("hidden", inHome(path), why);
  for (const path of neededInHidden(facts)) add("read", path, "programs and names of hosts");
  add("own", "/tmp", "temporary files of the session", temp);
  add("own", "/var/tmp", "temporary files of the session", temp);
  add("own", "/dev/shm", "shared memory of the call");
  for (const { program, paths, own } of caches) {
    for (const path of paths) if (mayCreate(program, path, inHome(path), facts)) add("write", inHome(path), "a cache");
    for (const path of own) if (mayCreate(program, path, inHome(path), facts)) addOwn(path);
  }
  for (const name of namesIn(names.shownInCache)) add("read", join(home, ".cache", name), "programs in a cache");
  // An agent that was started in the home directory, or above it, has no project.
  if (!isInside(project, home)) {
    add("write", project, "the project");
    // Each is a place of its own, so that it cannot be moved away from above its hooks.
    for (const path of closed.repositories) add("write", path, "a repository");
  }
  for (const path of closed.paths) add("read", path, STARTS_LATER);
  add("hidden", facts.folder, "records of the cage");
  for (const path of facts.read) add("read", inHome(path), "allowed by you");
  for (const path of facts.write) {
    if (path.endsWith("/")) createMissing(inHome(path), facts);
    add("write", inHome(path), "allowed by you");
  }
  add("write", facts.sharedTemp, "temporary files of the agent");
  for (const name of entryNames(facts.sharedTemp).filter((one) => isRealFolder(join(facts.sharedTemp, one))))
    add(name.endsWith("socks") ? "hidden" : "read", join(facts.sharedTemp, name), "files of the agent");
  for (const path of scratchpads(facts)) add("write", path, "temporary files of the agent");
  for (const { path, from, why } of replaced) add("read", path, why, from);
  for (const path of facts.sockets) if (!isGranted(path)) add("hidden", path, "a socket of another program");
  return inMountOrder(places);
}

/** What agents give their model for temporary files: `AGENT/PROJECT/SESSION/scratchpad`. */
function scratchpads({ sharedTemp, project }: CageFacts): readonly string[] {
  const sessions = entryNames(sharedTemp).map((agent) => join(sharedTemp, agent, folderNameOf(project)));
  const all = sessions.flatMap((folder) => entryNames(folder).map((session) => join(folder, session, "scratchpad")));
  return all.filter((path) => isRealFolder(path) && followLinks(path) === path);
}

/** A folder as agents name their own folder for it. */
export const folderNameOf = (folder: string): string => folder.replace(/[^A-Za-z0-9]/g, "-");

/** A path of a table or of the settings. */
export const inFolders = (path: string, { home, project }: Pick<CageFacts, "home" | "project">): string =>
  path.startsWith("~/") ? join(home, path.slice(2)) : resolve(project, path);

/** The place that decides on a path without links. */
export const placeOf = (path: string, places: readonly CagePlace[]): CagePlace =>
  [...OF_SANDBOX, ...places].findLast((one) => isInside(one.path, path)) ?? SYSTEM;

const SYSTEM: CagePlace = { path: "/", access: "read", why: "the system" };

/** What each sandbox has for itself. */
const OF_SANDBOX: readonly CagePlace[] = [
  { path: "/dev", access: "own", why: "devices of the call" },
  { path: "/proc", access: "own", why: "processes of the call" },
];

/** Names of closed files and folders, relative to a folder in which an agent may be started. */
export const closedNames = (agentFiles: readonly string[]): readonly string[] => [
  ...new Set([...closedInProject, ...agentFiles.map(topOf)]),
];

/** Of an agent's settings the folder that it has for itself, such as `.claude/settings.json` or `.github/hooks`. */
const topOf = (path: string): string => path.split("/").slice(0, 2).join("/");

/** Folders of other projects: those beside this one, and those of the home directory that hold no programs. */
function otherFolders({ home, project }: CageFacts): readonly string[] {
  const ofHome = entryNames(home)
    .filter((name) => !name.startsWith(".") && !shown.includes(name))
    .map((name) => join(home, name))
    .filter((path) => path !== project);
  const parent = resolve(project, "..");
  const isOrdinary = !isInside(home, parent) && !isInside(parent, home) && !isOfSystem(parent);
  return isOrdinary && isRealFolder(parent) ? [...ofHome, parent] : ofHome;
}

/** Folders that many programs need; a project directly below them hides nothing beside it. */
const OF_SYSTEM = ["/usr", "/opt", "/etc", "/var", "/lib", "/bin", "/sbin", "/nix", "/snap", "/proc", "/sys", "/dev"];

const isOfSystem = (path: string): boolean =>
  path === "/" || path === "/tmp" || OF_SYSTEM.some((folder) => isInside(folder, path));

/** What is visible in hidden folders: programs on PATH, and how names of hosts are found. */
function neededInHidden(facts: CageFacts): readonly string[] {
  const resolver = followLinks("/etc/resolv.conf");
  const folders = otherFolders(facts);
  const programs = facts.searched.flatMap((path) => [path, followLinks(path)]);
  const isHidden = (path: string): boolean => folders.some((folder) => folder !== path && isInside(folder, path));
  return [...(resolver === "/etc/resolv.conf" ? [] : [resolver]), ...programs.filter(isHidden), ...kept(facts)];
}

const kept = ({ isNetworkOpen }: CageFacts): readonly string[] =>
  ["/run/current-system", ...(isNetworkOpen ? ["/run/systemd/resolve", "/run/nscd"] : [])].filter(isFolder);

/** The file with the folders that were made for calls. */
export const MADE = "made";

/** Only what exists can be mounted. The empty folders of a person are noted, for `uninstall --all`. */
function createMissing(path: string, { folder }: CageFacts): void {
  try {
    if (pathExists(path)) return;
    const made = makeFolder(path, 0o755);
    appendFileSync(join(folder, MADE), made.map((one) => `${jsonText(one)}\n`).join(""));
  } catch {
    // The call fails, and says where.
  }
}

/** Creates the missing cache of an installed program, because it could not create it inside. */
function mayCreate(program: string, written: string, path: string, facts: CageFacts): boolean {
  const { searched } = facts;
  if (pathExists(path)) return true;
  if (!written.endsWith("/") || !searched.some((folder) => pathExists(join(folder, program)))) return false;
  createMissing(path, facts);
  return true;
}
