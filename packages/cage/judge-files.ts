import { basename, dirname, resolve } from "node:path";
import { textAt } from "../../src/dialects/field-paths.ts";
import type { RunContext } from "../../src/engine/run-context.ts";
import { mainCheckoutOf } from "../../src/fs/git.ts";
import { followLinks, isInside, pathExists } from "../../src/fs/paths.ts";
import { stringOf } from "../../src/protocol/json/read.ts";
import type { Payload } from "../../src/protocol/payload/payload.ts";
import { argumentsOf } from "../../src/protocol/payload/tool-call.ts";
import { UNKNOWN } from "../../src/shell/unknown.ts";
import { examineCall } from "../guard-hooks/examine-call.ts";
import { realPathsOf } from "../guard-hooks/other-paths.ts";
import type { FileAccess } from "../guards/command/files/file-access.ts";
import type { Examined } from "../guards/examine.ts";
import { readToolCall } from "../guards/tool-call.ts";
import { inMountOrder } from "../sandbox/policy.ts";
import { type CagePlace, FILES_OF_TOOLS, folderNameOf, inFolders, placeOf, STARTS_LATER } from "./cage-places.ts";
import type { Cage } from "./prepare-cage.ts";

/** A file that a call would use, and the place of the cage that decides on it. */
export interface ReachedFile {
  /** Without links. */
  readonly path: string;
  readonly use: "read" | "write";
  readonly place: CagePlace;
}

/** True if the cage refuses this use of the file. */
export const isRefused = ({ use, place: { access } }: ReachedFile): boolean =>
  access === "hidden" || (use === "write" && access === "read");

/** The files that the tool of a call would use itself: the kernel holds only programs. */
export async function filesOfTool(payload: Payload, cage: Cage, context: RunContext): Promise<readonly ReachedFile[]> {
  const { members, cwd, session } = payload;
  const [tool, kind] = [textAt(members, "tool_name"), textAt(members, "tool_kind")];
  const { files, place } = await examineCall(readToolCall(members), context, cwd);
  const places = placesOfTools(cage, session);
  const isOfAgent = /^(?:read|write|edit|search)$/.test(kind);
  const isSearch = (kind === "search" || SEARCHES.test(tool)) && !LISTS.test(tool);
  const named = files.filter(({ call, path }) => call === null && (isOfAgent || isOfThisMachine(path)));
  const many = named.filter((file) => isSearch || isPattern(file));
  const searched = [...many.map(({ path }) => path), ...(/glob/i.test(tool) ? patternsIn(payload, cage) : [])];
  const isHere = isSearch && kind === "search" && many.every(isPattern);
  return [
    ...named
      .filter((file) => !many.includes(file))
      .flatMap((file) => reachedBy(file, place.folder, (path) => placeForTool(path, places))),
    ...[...searched.map(startOf), ...(isHere ? [cwd] : [])].flatMap((path) => hiddenBelow(followLinks(path), places)),
  ];
}

/** Tools that read all files of a folder, and those that only list one. */
const SEARCHES = /grep|glob|search|find|tree/i;
const LISTS = /^(?:ls|list)/i;

/** The patterns of a tool that searches for names. */
function patternsIn({ members, cwd }: Payload, { home }: Cage): readonly string[] {
  const input = members.get("tool_input");
  const all = input === undefined ? [] : argumentsOf(input);
  return all.flatMap(([key, value]) =>
    key === "pattern" && value.kind === "string" ? [resolve(cwd, stringOf(value).replace(/^~(?=\/)/, home))] : [],
  );
}

/** Other tools have addresses and names that look like paths: `/docs/start`. */
const isOfThisMachine = (path: string): boolean => pathExists(`/${path.split("/")[1] ?? ""}`);

/** True for a path of a tool that stands for many. The name of a present file may have any character. */
const isPattern = ({ kind, path }: FileAccess): boolean =>
  kind !== "write" && kind !== "delete" && /[*?[{]/.test(path) && !pathExists(path);

/** The folder in which a pattern begins. */
const startOf = (path: string): string => (/[*?[{]/.test(path) ? dirname(path.replace(/[*?[{].*/s, "*")) : path);

/** What a search in a folder would find that is hidden. */
function hiddenBelow(path: string, places: readonly CagePlace[]): readonly ReachedFile[] {
  const below = places.find((one) => one.access === "hidden" && isInside(path, one.path));
  const place = below ?? placeOf(path, places);
  return [{ use: "read", path: below?.path ?? path, place }];
}

function reachedBy(file: FileAccess, folder: string, placeFor: (path: string) => CagePlace): readonly ReachedFile[] {
  if (file.path.includes(UNKNOWN)) return [];
  const use = file.kind === "read" || file.kind === "use" ? "read" : "write";
  return realPathsOf(file, folder).map((path) => ({ path, use, place: placeFor(path) }));
}

/** Programs inside have other processes, and no secret variables. */
const placeForTool = (path: string, places: readonly CagePlace[]): CagePlace =>
  /^\/proc\/\d+\/(?:task\/\d+\/)?environ$/.test(path)
    ? { path, access: "hidden", why: "variables with secrets" }
    : placeOf(path, places);

/** The files that the text of a command names. What its programs do without naming it is not known. */
export function filesOfPrograms({ files, place }: Examined, { places }: Cage): readonly ReachedFile[] {
  // An argument that may be a file, such as `test` of `npm test`, is one if it is there.
  const named = files.filter(
    ({ call, isGlob, kind, path }) => call !== null && !isGlob && (kind !== "use" || pathExists(path)),
  );
  const reached = named.flatMap((file) => reachedBy(file, place.folder, (path) => placeOf(path, places)));
  return [...new Map(reached.map((one) => [`${one.use} ${one.path}`, one])).values()];
}

/**
 * The places for tools that use files themselves. They need no mount, so what is missing is a place, too; and git's configuration
 * is closed to them, because only a call of a program is checked at its end.
 */
function placesOfTools(
  { places, closed, project, home, temp, sharedTemp, settings }: Cage,
  session: string,
): readonly CagePlace[] {
  const of = (access: CagePlace["access"], paths: readonly string[], why: string): readonly CagePlace[] =>
    paths.map((path) => ({ path: followLinks(inFolders(path, { home, project })), access, why }));
  // Only programs have it; a tool would write the user's.
  const isOwnCache = (place: CagePlace): boolean => place.access === "own" && isInside(home, place.path);
  const own = (paths: readonly string[]) => paths.flatMap((path) => filledPaths(path, project, session));
  return inMountOrder([
    ...of("read", ["/dev", "/proc"], "the system"),
    ...places.map((place) =>
      isOwnCache(place) ? { path: place.path, access: "read" as const, why: place.why } : place,
    ),
    ...places.flatMap(({ path }) =>
      isInside(sharedTemp, path) ? of("write", [path], "temporary files of the agent") : [],
    ),
    ...of("read", [temp], "temporary files of shell calls"),
    ...of("read", [...closed.paths, ...closed.gitFiles], STARTS_LATER),
    ...of("read", own(FILES_OF_TOOLS.read), "files of the agent"),
    ...of("write", own(FILES_OF_TOOLS.write), "files of the agent"),
    ...of("read", settings.read, "allowed by you"),
    ...of("write", settings.write, "allowed by you"),
  ]);
}

/** Agents name their folders after the path of the project, its name, or the session. */
function filledPaths(path: string, project: string, session: string): readonly string[] {
  const projects = [project, mainCheckoutOf(project) ?? project];
  const name = basename(project)
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "");
  const filled = projects.map((folder) => path.replace("{project}", folderNameOf(folder)).replace("{name}", name));
  const isPlain = /^[\w-]+$/.test(session);
  return filled.flatMap((one) => (isPlain || !one.includes("{session}") ? one.replace("{session}", session) : []));
}
