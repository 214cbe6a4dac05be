import { posix } from "node:path";
import { namesIn, tableOf } from "../../../src/protocol/json/table.ts";
import { isWithin } from "../../../src/protocol/text/text.ts";
import { UNKNOWN } from "../../../src/shell/unknown.ts";
import type { Call, CommandPlace, Word } from "./call.ts";
import table from "./zones.json" with { type: "json" };

/**
 * The location of a path. `root`, `home`, `project`, `temp-root`: the folder itself, everything in it, or a folder
 * around it. `home-file`: below the home, outside the project. `repository`: `.git` and its content. `stream`:
 * `/dev/null`, `/dev/stdout`.
 */
export type Zone =
  | "root"
  | "system"
  | "home"
  | "home-file"
  | "project"
  | "repository"
  | "inside"
  | "temp"
  | "temp-root"
  | "device"
  | "stream"
  | "other"
  | "unknown";

/** The absolute path of a word. Parts known only at run time stay `UNKNOWN`, a glob stays a glob. */
export function resolvePath(word: Word, { folder }: Pick<Call, "folder">): string {
  const { text } = word;
  if (text.startsWith("/")) return withoutProc(text, folder ?? UNKNOWN);
  if (text.startsWith(UNKNOWN)) return text === UNKNOWN ? text : posix.normalize(text);
  return folder === null ? `${UNKNOWN}/${posix.normalize(text)}` : trimmed(posix.normalize(`${folder}/${text}`));
}

/** The absolute path that a tool names from a folder. */
export const absolutePath = (path: string, folder: string): string =>
  withoutProc(path.startsWith("/") ? path : `${folder}/${path}`, folder);

/** `/proc/self/cwd` is the working directory, `/proc/self/root` is `/`: also before a `..` behind them. */
function withoutProc(path: string, folder: string): string {
  let parts: string[] = [];
  let start = "/";
  for (const part of path.split("/")) {
    if (part === ".." && (start === "/" || parts.length > 1)) parts.pop();
    else if (part !== ".." && part !== "" && part !== ".") parts.push(part);
    if (parts.length === 2 && parts.join("/") === "dev/fd") parts = ["proc", "self", "fd"];
    if (parts.length !== 3 && parts.length !== 5) continue;
    if (!PROC_LINK.test(parts.join("/"))) continue;
    start = part === "cwd" && folder === UNKNOWN ? "" : "/";
    parts = part === "root" ? [] : folder.split("/").filter((one) => one !== "");
  }
  return start + parts.join("/");
}

const PROC_LINK = /^proc\/(?:self|thread-self|\d+|\0)(?:\/task\/(?:\d+|\0))?\/(?:cwd|root)$/;

/** A path by which bash connects to another machine. */
export const isSocketPath = (path: string): boolean => /^\/dev\/(?:tcp|udp)\//.test(path);

const trimmed = (path: string): string => (path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path);

/** The zone of an absolute path. A part that is known only at run time stays in the folder before it. */
export function zoneOf(path: string, place: CommandPlace): Zone {
  if (!path.startsWith("/")) return "unknown";
  const parts = trimmed(posix.normalize(path)).split("/").slice(1);
  const open = parts.findIndex((part) => /[*?[\0]/.test(part));
  if (open === -1) return zoneOfKnown(`/${parts.join("/")}`, place);
  const parent = `/${parts.slice(0, open).join("/")}`;
  const part = parts[open] ?? "";
  const own = zoneOfKnown(parent, place);
  if (open === parts.length - 1 && (isEverything(part) || (part === UNKNOWN && isDeadly(own)))) return own;
  if (own === "root") return "system";
  if (own === "home" && parent !== place.home) return part === UNKNOWN ? "home" : "other";
  if (parent === place.project && MATCHES_GIT.test(part)) return "repository";
  return zoneOfKnown(`${parent}/${part.replace(/[*?[\0].*$/s, "")}\0`, place);
}

/** True if the part matches every name in its folder. */
const isEverything = (part: string): boolean => /^[.?]*\*[.*?]*$/.test(part) || /^\.?\[[!^].*\]\*$/.test(part);

/** Zones that an empty value behind a slash would hit: `rm -rf "/$X"`. */
const isDeadly = (zone: Zone): boolean => zone === "root" || zone === "home";

const MATCHES_GIT = /^(?:\.(?:g(?:it?)?)?)?[?[]|^\.(?:g(?:it?)?)?\*/;

/** Folders of zones that are the same on every machine. The first row with a folder around a path decides. */
const ROOTS = tableOf<readonly { readonly zone: Zone; readonly roots: string }[]>(table);

function zoneOfKnown(path: string, place: CommandPlace): Zone {
  const { home } = place;
  const project = projectOf(place);
  if (path === "/") return "root";
  if (path === "/home" || path === "/Users" || isWithin(home, path)) return "home";
  if (project !== null && isWithin(project, path)) return "project";
  if (project !== null && isWithin(path, project))
    return path.slice(project.length).split("/").includes(".git") ? "repository" : "inside";
  const temp = trimmed(place.variables.TMPDIR ?? "");
  if (CALLED_TEMPORARY.test(temp) && isWithin(path, temp)) return path === temp ? "temp-root" : "temp";
  const known = ROOTS.find(({ roots }) => namesIn(roots).some((root) => isWithin(path, root)));
  if (known?.zone === "temp") return namesIn(known.roots).includes(path) ? "temp-root" : "temp";
  if (isWithin(path, home)) return path.split("/").includes(".git") ? "repository" : "home-file";
  if (known !== undefined) return known.zone;
  return path.split("/").includes(".git") ? "repository" : "other";
}

/** A folder around the home, or the root, is no project: an agent that was started there must not own the machine. */
const projectOf = ({ home, project }: CommandPlace): string | null => (isWithin(home, project) ? null : project);

/** A project's agent settings can set TMPDIR, so TMPDIR alone does not make a folder temporary. */
const CALLED_TEMPORARY = /^\/(?:.*\/)?\.?te?mp[^/]*$/i;
