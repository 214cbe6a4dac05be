import { resolve } from "node:path";
import { entryFolder, isInside } from "../../fs/paths.ts";
import { entryCommand } from "../../protocol/entry.ts";
import type { Candidate, Hook } from "../../protocol/hook.ts";
import { writtenFiles } from "../../shell/written-files.ts";

type DeclaredHook = Pick<Candidate | Hook, "entry" | "projectDir">;

/** The shell text of an entry that may redirect output. */
function redirectingCommand({ entry }: Pick<DeclaredHook, "entry">): string | null {
  const command = entry === null ? null : entryCommand(entry);
  return typeof command === "string" && command.includes(">") ? command : null;
}

/** True if the shell parser is needed. */
export const mayRedirect = (hook: Pick<DeclaredHook, "entry">): boolean => redirectingCommand(hook) !== null;

/** The files to which the command of a hook redirects its output, as it names them. */
export function redirectedFiles(hook: Pick<DeclaredHook, "entry">): readonly string[] {
  const command = redirectingCommand(hook);
  return command === null ? [] : writtenFiles(command).filter((file) => !isInside("/dev", file));
}

/** Those outside its project. A sandbox grants them, so a person who approves the command must see them. */
export function filesOutsideProject(hook: DeclaredHook): readonly string[] {
  const { entry, projectDir } = hook;
  if (entry === null || projectDir === null) return [];
  const paths = redirectedFiles(hook).map((file) => resolve(entryFolder(entry), file));
  return paths.filter((path) => !isInside(projectDir, path));
}
