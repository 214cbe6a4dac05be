import {
  constants,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  symlinkSync,
} from "node:fs";
import { basename, dirname, isAbsolute, join, relative, resolve } from "node:path";
import type { RunContext } from "../../../src/engine/run-context.ts";
import { entryFolder, isInside, realPathOrSame } from "../../../src/fs/paths.ts";
import type { Scratch } from "../../../src/process/scratch.ts";
import { entryServer, type LocatedEntry } from "../../../src/protocol/entry.ts";
import type { Hook } from "../../../src/protocol/hook.ts";
import type { Payload } from "../../../src/protocol/payload/payload.ts";
import type { Warning } from "../../../src/protocol/warning.ts";
import { findCommandFiles } from "../../../src/trust/hook-files/command-files.ts";

export interface TestContext extends RunContext {
  readonly probed: ProbedStart;
  /** Payloads of checks by their keys: a payload of 1 MiB takes longer to make than a small hook runs. */
  readonly payloads: Map<string, Payload | null>;
}

/** How a hook is started so that its interpreter reports which lines ran. */
export interface ProbedStart {
  /** Additional variables of every hook. */
  readonly variables: Readonly<Record<string, string>>;
  /** A program that is started instead of the hook at this path; null if none. */
  readonly program: { readonly path: string; readonly startedAs: string } | null;
}

export const NOT_PROBED: ProbedStart = { variables: {}, program: null };

/** The folders in which one hook is tested at a time. */
export interface TestWorker {
  readonly scratch: Scratch;
  readonly context: TestContext;
  /** A hook as it is run in a test, and the folder that its payload names as the project. */
  readonly inScratch: (hook: Hook) => { readonly hook: Hook; readonly projectDir: string };
  readonly warnings: Warning[];
}

/** Tests do not write to the caches and logs of real calls, and a paused hook is tested like any other. */
const NOTHING_STORED = { cacheDir: null, sessionsDir: null, auditFile: null, pauses: new Map<string, string>() };

export const PROJECT_LIMITS: CopyLimits = { entries: 20_000, bytes: 256 * 1024 * 1024 };
const HOME_LIMITS: CopyLimits = { entries: 2_000, bytes: 32 * 1024 * 1024 };
const STARTS_PROCESS: readonly Hook["kind"][] = ["command", "tool", "shell_push"];

/**
 * The commands of declared hooks are relative to the folder of their settings file, so a project's command runs in a copy
 * of the project, made once, and a command of the user's in a copy of the files that it names. Neither can change the
 * original.
 */
export function testWorker(scratch: Scratch, real: RunContext): TestWorker {
  const { homeDir } = real.scopes;
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
  // Without the cache each hook declares its event again, because the declaration is part of the test.
  const stored = { ...NOTHING_STORED, payloads: new Map<string, Payload | null>() };
  return {
    scratch,
    context: { ...real, env: scratch.env, cwd: scratch.work, probed: NOT_PROBED, ...stored },
    warnings,
    inScratch: (hook) => {
      const { entry, projectDir } = hook;
      const same = { hook, projectDir: scratch.work };
      if (entry === null || !STARTS_PROCESS.includes(hook.kind)) return same;
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

/** Copies the files of the home folder that the command names, each with its folder, but never the whole home. */
function copyNamedFiles(entry: LocatedEntry, homeDir: string, { home, root }: Scratch): void {
  mkdirSync(entryFolder(movedEntry(entry, homeDir, home)), { recursive: true, mode: 0o700 });
  const paths = findCommandFiles(entry, homeDir).files.map((name) => resolve(homeDir, name));
  for (const folder of new Set(paths.filter((path) => existsSync(path)).map((path) => dirname(path)))) {
    if (folder !== homeDir && isInside(homeDir, folder))
      copyTree({ from: folder, to: join(home, relative(homeDir, folder)), without: root }, HOME_LIMITS);
  }
}

/** The hook with its settings entry in another folder; a hook that is a file is returned unchanged. */
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

interface CopyLimits {
  readonly entries: number;
  readonly bytes: number;
}

interface Tree {
  readonly from: string;
  readonly to: string;
  /** Never copied: the folder that contains the copy. */
  readonly without: string;
}

/**
 * Copies the files below a folder, those near its top first. Links that lead into the folder lead into the copy, so nothing
 * that is written in the copy is written in the original. Returns false if the limits were reached and some files are
 * missing. The history of a repository is no file of the project; the many files of `node_modules`, which few hooks need,
 * come last.
 */
export function copyTree(tree: Tree, limits: CopyLimits): boolean {
  const left = { ...limits };
  const waiting: string[] = [tree.from];
  const last: string[] = [];
  for (let folder = waiting.shift(); folder !== undefined; folder = waiting.shift() ?? last.shift()) {
    mkdirSync(placeIn(tree, folder), { recursive: true, mode: 0o700 });
    for (const entry of entriesOf(folder)) {
      const path = join(folder, entry.name);
      if (entry.name === ".git" || isInside(path, tree.without)) continue;
      left.entries -= 1;
      if (left.entries < 0) return false;
      if (entry.isDirectory()) (entry.name === "node_modules" ? last : waiting).push(path);
      else if (entry.isSymbolicLink()) unlessItThrows(() => copyLink(tree, path));
      else if (entry.isFile()) left.bytes -= unlessItThrows(() => copyFile(tree, path, left.bytes)) ?? 0;
      if (left.bytes < 0) return false;
    }
  }
  return true;
}

const placeIn = ({ from, to }: Tree, path: string): string => join(to, relative(from, path));

/** A folder that is unreadable here is unreadable for the hook, too. */
const entriesOf = (folder: string) => unlessItThrows(() => readdirSync(folder, { withFileTypes: true })) ?? [];

/** The result of a read or write in folders where hooks may write, too; null if it throws. */
export function unlessItThrows<T>(read: () => T): T | null {
  try {
    return read();
  } catch {
    return null;
  }
}

/** Returns the size; a file larger than `most` is not copied. */
function copyFile(tree: Tree, path: string, most: number): number {
  const { size } = lstatSync(path);
  if (size <= most) copyFileSync(path, placeIn(tree, path), constants.COPYFILE_FICLONE);
  return size;
}

function copyLink(tree: Tree, path: string): void {
  const target = readlinkSync(path);
  const whole = resolve(dirname(path), target);
  const [top, real] = [realPathOrSame(tree.from), realPathOrSame(whole)];
  // A link to a folder above would lead back into the original.
  if (isInside(real, top) && real !== top) return;
  const isOurs = isInside(tree.from, whole) && real === resolve(top, relative(tree.from, whole));
  const inCopy = isInside(top, real) ? join(tree.to, relative(top, real)) : whole;
  symlinkSync(isOurs && !isAbsolute(target) ? target : inCopy, placeIn(tree, path));
}
