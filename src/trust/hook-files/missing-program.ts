import { accessSync, constants, existsSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { isAbsolute, join, relative, resolve } from "node:path";
import { isInside } from "../../fs/paths.ts";
import { entryFolder } from "../../fs/working-folder.ts";
import { entryCommand, entryServer, type LocatedEntry } from "../../protocol/entry.ts";
import { type CertainStart, certainStarts } from "../../shell/certain-starts.ts";
import { PROJECT } from "../../shell/findings.ts";

export interface StartContext {
  readonly projectDir: string;
  /** The PATH of the hook. */
  readonly searchPath: string;
  /** Why a file cannot be started; null if no fault is known. */
  readonly faultOf: (path: string) => string | null;
}

/** Says which program of a declared command does not exist; null if none is known to be missing. */
export function findMissingProgram(
  entry: LocatedEntry,
  { projectDir, searchPath, faultOf }: StartContext,
): string | null {
  const server = entryServer(entry);
  const command = server === null ? entryCommand(entry) : [server.command, ...server.args];
  if (command === null) return null;
  const folder = entryFolder(entry);
  const start = isInside(projectDir, folder) ? `${PROJECT}/${relative(projectDir, folder)}` : folder;
  for (const one of certainStarts(command, { folder: start, home: homedir() })) {
    const fault = one.kind === "program" ? programFault(one.name, searchPath) : fileFault(one, projectDir, faultOf);
    if (fault !== null) return fault;
  }
  return null;
}

function programFault(name: string, searchPath: string): string | null {
  const isThere = searchPath.split(":").some((folder) => isAbsolute(folder) && mayExecute(join(folder, name)));
  return isThere ? null : `the program ${name} is not in PATH`;
}

function fileFault(
  { word, places, isRead }: Extract<CertainStart, { kind: "file" }>,
  projectDir: string,
  faultOf: StartContext["faultOf"],
): string | null {
  const paths = places.map((place) =>
    place.startsWith(PROJECT) ? join(projectDir, place.slice(PROJECT.length)) : resolve(place),
  );
  const found = paths.find((path) => existsSync(path));
  if (found === undefined) return `there is no ${word.replace(PROJECT, "$HOOKCTL_PROJECT_DIR")} (${paths[0] ?? word})`;
  if (isRead) return null;
  if (statSync(found, { throwIfNoEntry: false })?.isDirectory()) return `${found} is a folder`;
  return mayExecute(found) ? faultOf(found) : `${found} has no execute bit`;
}

function mayExecute(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    // For a folder the execute bit only allows to enter it.
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
