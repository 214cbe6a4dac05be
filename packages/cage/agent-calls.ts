import { rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { entryNames, pathExists, statOrNull } from "../../src/fs/paths.ts";
import { removeTreeQuietly } from "../../src/fs/remove-tree.ts";
import { createFile } from "../../src/fs/write-file.ts";
import type { Problem } from "../../src/protocol/problem.ts";
import { agentAbove, processKey } from "./cage-shell.ts";
import { type CageContext, cageFolder, cageOf, prepareCage } from "./prepare-cage.ts";
import { noteBefore, undoChanges } from "./undo-changes.ts";

/** An agent's shell call. */
interface ShellCall {
  readonly processId: number;
  /** The variable that names the agent's shell, if hooks get it; null if they do not. */
  readonly shellVariable: string | null;
  readonly context: CageContext;
}

/** Prepares the cage of a shell call that an agent is about to make. A problem blocks the call. */
export async function beforeShellCall({ processId, shellVariable, context }: ShellCall): Promise<Problem | null> {
  const key = processKey(agentAbove(processId));
  const cage = await cageOf(key, context);
  if (cage === null) return null;
  const isRequired = cage.settings.mode === "require";
  const folder = recordOf(key, context);
  if (!pathExists(folder)) forgetEnded(join(folder, ".."));
  const script = await prepareCage(cage, key, context);
  if (!script.ok) return isRequired ? { code: "CAGE_UNAVAILABLE", cause: script.error } : null;
  const isOther = shellVariable !== null && dirname(context.env[shellVariable] ?? "") !== shellsFolder(context);
  if (isRequired && (isOther || pathExists(join(folder, OUTSIDE))))
    return { code: "CAGE_UNAVAILABLE", cause: NOT_STARTED };
  createFile(join(folder, ASKED));
  noteBefore(cage, folder);
  return null;
}

const ASKED = "asked";
const USED = "used";
const OUTSIDE = "outside";
const NOT_STARTED =
  "the agent does not start the shell of the cage: other settings name another shell, or the session is older than the cage";

const shellsFolder = (context: CageContext): string => join(cageFolder(context) ?? "", "shells");
const recordOf = (key: string, context: CageContext): string => join(cageFolder(context) ?? "", "records", key);

/**
 * Takes away what a finished call changed in spite of the cage, and says what. A call that ran without the shell of the
 * cage, which marks each start, is noted.
 */
export function afterShellCall({ processId, context }: Omit<ShellCall, "shellVariable">): readonly string[] {
  const folder = recordOf(processKey(agentAbove(processId)), context);
  const asked = statOrNull(join(folder, ASKED));
  const used = statOrNull(join(folder, USED));
  const isOutside = asked !== null && (used === null || used.mtimeMs < asked.mtimeMs);
  if (isOutside) createFile(join(folder, OUTSIDE));
  else rmSync(join(folder, ASKED), { force: true });
  return isOutside ? [] : undoChanges(folder, context.scopes.rootDir);
}

/** Removes the records and temporary files of agents that have ended. */
function forgetEnded(records: string): void {
  for (const key of entryNames(records)) {
    if (processKey(Number(key.split("-")[0])) !== key) removeTreeQuietly(join(records, key));
  }
}

/** The paths in messages of programs that could not write there. The output may be text, or JSON with texts. */
export function refusedPaths(output: string): readonly string[] {
  const lines = output.slice(0, LONGEST_OUTPUT).split(/\n|\\n/);
  // The first path in a message may be that of the program that writes it.
  const paths = lines.flatMap((line) =>
    /Read-only file system|EROFS/.test(line) ? ([...line.matchAll(PATH_IN)].at(-1)?.[1] ?? []) : [],
  );
  return [...new Set(paths)].slice(0, MOST_PATHS);
}

const LONGEST_OUTPUT = 200_000;
const MOST_PATHS = 5;
const PATH_IN = /(?:^|[\s'"‘(:])((?:\/|~\/|\.\.?\/)[^'"’:\s\\]+)/g;
