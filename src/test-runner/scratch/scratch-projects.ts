import { existsSync, mkdirSync } from "node:fs";
import { basename, dirname, isAbsolute, join, relative, resolve } from "node:path";
import { entryFolder, isInside } from "../../fs/paths.ts";
import { entryServer, type LocatedEntry } from "../../protocol/entry.ts";
import type { Hook } from "../../protocol/hook.ts";
import type { Warning } from "../../protocol/warning.ts";
import { findCommandFiles } from "../../trust/hook-files/command-files.ts";
import { type CopyLimits, copyTree } from "./copy-tree.ts";
import type { Scratch } from "./scratch.ts";

/** A hook as it is run in a test, and the folder that its payload names as the project. */
export interface PlacedHook {
  readonly hook: Hook;
  readonly projectDir: string;
}

export interface ScratchProjects {
  readonly place: (hook: Hook) => PlacedHook;
  readonly warnings: () => readonly Warning[];
}

export const PROJECT_LIMITS: CopyLimits = { entries: 20_000, bytes: 256 * 1024 * 1024 };
const HOME_LIMITS: CopyLimits = { entries: 2_000, bytes: 32 * 1024 * 1024 };

/**
 * Where declared hooks run in a test. Their words mean files from the folder of their settings file, so a project's command runs in a
 * copy of the project, made once, and a command of the user's in a copy of the files that it names. Neither can change the original.
 */
export function scratchProjects(scratch: Scratch, homeDir: string | null): ScratchProjects {
  const copies = new Map<string, string>();
  const warnings: Warning[] = [];
  const copyOf = (projectDir: string): string => {
    const known = copies.get(projectDir);
    if (known !== undefined) return known;
    const to = join(scratch.projects, String(copies.size), basename(projectDir));
    copies.set(projectDir, to);
    const isWhole = copyTree({ from: projectDir, to, without: scratch.root }, PROJECT_LIMITS);
    if (!isWhole) warnings.push({ code: "SCRATCH_COPY_PARTIAL", path: projectDir });
    return to;
  };
  return {
    warnings: () => warnings,
    place: (hook) => {
      const { entry, projectDir } = hook;
      const same = { hook, projectDir: scratch.work };
      if (entry === null || !STARTS_PROCESS.has(hook.kind)) return same;
      if (projectDir !== null) {
        const to = copyOf(projectDir);
        return { hook: moveHook(hook, projectDir, to), projectDir: to };
      }
      if (homeDir === null || !isInside(homeDir, entry.file)) return same;
      copyNamedFiles(entry, homeDir, scratch);
      return { hook: moveHook(hook, homeDir, scratch.home), projectDir: scratch.work };
    },
  };
}

const STARTS_PROCESS: ReadonlySet<Hook["kind"]> = new Set<Hook["kind"]>(["command", "tool", "shell_push"]);

/** The files of the home folder that the command names, each with the folder that it lies in, but never the whole home. */
function copyNamedFiles(entry: LocatedEntry, homeDir: string, { home, root }: Scratch): void {
  mkdirSync(entryFolder(movedEntry(entry, homeDir, home)), { recursive: true, mode: 0o700 });
  const paths = findCommandFiles(entry, homeDir).files.map((name) => resolve(homeDir, name));
  for (const folder of new Set(paths.filter((path) => existsSync(path)).map((path) => dirname(path)))) {
    if (folder !== homeDir && isInside(homeDir, folder))
      copyTree({ from: folder, to: join(home, relative(homeDir, folder)), without: root }, HOME_LIMITS);
  }
}

/** The hook with the entry of its settings in another folder; a hook that is a file of its own stays where it is. */
export function moveHook(hook: Hook, from: string, to: string): Hook {
  const { entry } = hook;
  return entry === null || !isInside(from, entry.file) ? hook : { ...hook, entry: movedEntry(entry, from, to) };
}

function movedEntry<E extends LocatedEntry>(entry: E, from: string, to: string): E {
  const move = (path: string): string => (isInside(from, path) ? join(to, relative(from, path)) : path);
  const server = entryServer(entry);
  const isMoved = server?.cwd !== undefined && isAbsolute(server.cwd);
  const moved = isMoved ? { server: { ...server, cwd: move(server.cwd ?? "") } } : {};
  return { ...entry, ...moved, file: move(entry.file) };
}
