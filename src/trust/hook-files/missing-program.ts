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
  /** Where the hook finds programs by name. */
  readonly searchPath: string;
  /** Why a file that is started cannot run, in words; null: nothing is known to be wrong with it. */
  readonly faultOf: (path: string) => string | null;
}

/** What a declared hook needs to be started and does not find, in words; null: nothing that its words tell. */
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
    // On a folder that bit means that it may be entered.
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
