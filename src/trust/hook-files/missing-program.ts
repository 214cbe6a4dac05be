import { constants } from "node:fs";
import { isAbsolute, join, relative, resolve } from "node:path";
import { disk } from "../../fs/disk.ts";
import { entryFolder, isInside } from "../../fs/paths.ts";
import { entryCommand, entryServer, type LocatedEntry } from "../../protocol/entry.ts";
import { shellQuote } from "../../protocol/text/shell-quote.ts";
import { type CertainStart, certainStarts } from "../../shell/certain-starts.ts";
import { PROJECT } from "../../shell/findings.ts";

export interface StartContext {
  readonly projectDir: string;
  /** The PATH of the hook. */
  readonly searchPath: string;
  /** Why a file cannot be started; null if no fault is known. */
  readonly faultOf: (path: string) => string | null;
}

/** Why a command cannot start, and the remedy if it is not to create or correct something. */
export interface MissingProgram {
  readonly cause: string;
  readonly fix: string | null;
}

/** Says which program of a declared command does not exist; null if none is known to be missing. */
export function findMissingProgram(
  entry: LocatedEntry,
  { projectDir, searchPath, faultOf }: StartContext,
): MissingProgram | null {
  const server = entryServer(entry);
  const command = server === null ? entryCommand(entry) : [server.command, ...server.args];
  if (command === null) return null;
  const folder = entryFolder(entry);
  const start = isInside(projectDir, folder) ? `${PROJECT}/${relative(projectDir, folder)}` : folder;
  for (const one of certainStarts(command, { folder: start, home: process.getBuiltinModule("node:os").homedir() })) {
    const fault = one.kind === "program" ? programFault(one.name, searchPath) : fileFault(one, projectDir, faultOf);
    if (fault !== null) return fault;
  }
  return null;
}

function programFault(name: string, searchPath: string): MissingProgram | null {
  const isThere = searchPath.split(":").some((folder) => isAbsolute(folder) && mayExecute(join(folder, name)));
  const fix = `Install ${name}, or add its folder to PATH; folders of the project need path_allow in your settings`;
  return isThere ? null : { cause: `the program ${name} is not in PATH`, fix };
}

function fileFault(
  { word, places, isRead }: Extract<CertainStart, { kind: "file" }>,
  projectDir: string,
  faultOf: StartContext["faultOf"],
): MissingProgram | null {
  const paths = places.map((place) =>
    place.startsWith(PROJECT) ? join(projectDir, place.slice(PROJECT.length)) : resolve(place),
  );
  const found = paths.find((path) => disk.existsSync(path));
  if (found === undefined) {
    return { cause: `there is no ${word.replace(PROJECT, "$HOOKCTL_PROJECT_DIR")} (${paths[0] ?? word})`, fix: null };
  }
  if (isRead) return null;
  if (disk.statSync(found, { throwIfNoEntry: false })?.isDirectory())
    return { cause: `${found} is a folder`, fix: null };
  if (!mayExecute(found))
    return { cause: `${found} has no execute bit`, fix: `To fix it: chmod +x ${shellQuote(found)}` };
  const cause = faultOf(found);
  return cause === null ? null : { cause, fix: null };
}

function mayExecute(path: string): boolean {
  try {
    disk.accessSync(path, constants.X_OK);
    // For a folder the execute bit only allows to enter it.
    return disk.statSync(path).isFile();
  } catch {
    return false;
  }
}
