import { chmodSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { Host } from "../../../src/engine/host.ts";
import { MACHINE_FOLDER, rootOnlyFault } from "../../../src/fs/machine-folder.ts";
import { isProgram, realPathOrSame, statOrNull } from "../../../src/fs/paths.ts";
import { readIfPresent } from "../../../src/fs/read-file.ts";
import type { WriteRoot } from "../../../src/fs/write-check.ts";
import { makeFolder, writeFileAtomic } from "../../../src/fs/write-file.ts";
import { HANDED_OVER, RUNTIME_LOADERS } from "../../../src/process/filter-environment.ts";
import { HOOKCTL_FILE, userLauncher } from "../own-program.ts";
import type { FileChange } from "../report/install-text.ts";
import { frontBeside, frontProgram } from "../resident/front-program.ts";
import { writeRootOf } from "./agent-files.ts";
import { fromQuotes, type InstallTarget } from "./install-target.ts";
import { parseObject } from "./last-answers.ts";
import { checkWritable, noteWrite, onDisk } from "./settings-file/write-settings-files.ts";

/**
 * The file that agents start, at a path that never changes, so that their settings do not change either: Codex trusts an
 * entry by its text. The file names what varies, the runtime and the installation of hookctl, as of the last `install`.
 */
export interface Launcher extends FileChange {
  readonly root: WriteRoot;
  readonly after: string;
  readonly isShared: true;
}

/** Returns null if there is no usable HOME. */
export function launcherFile({ scope, homeDir }: Pick<InstallTarget, "scope" | "homeDir">): string | null {
  if (scope === "machine") return join(MACHINE_FOLDER, "hookctl");
  return homeDir === null ? null : userLauncher(homeDir);
}

/** True for the path of the launcher, also through another link to the home directory. */
export function isLauncher(path: string, target: Pick<InstallTarget, "scope" | "homeDir">): boolean {
  const file = launcherFile(target);
  return (
    file !== null &&
    basename(path) === basename(file) &&
    realPathOrSame(dirname(path)) === realPathOrSame(dirname(file))
  );
}

const SHELL = "/bin/sh";
/** An apostrophe inside apostrophes. */
const QUOTE = "'\\''";
const HEAD = "# Starts hookctl for agents. Their settings name this file; `hookctl init` writes it.\n";

/** The state of the files that a launcher starts, as of the install. Only `doctor` reads it: an upgrade blocks no call. */
const RECORDED = "# Recorded: ";
const handOver = (name: string): string =>
  `case \${${name}+x} in x) export ${HANDED_OVER}${name}="$${name}"; unset ${name} ;; esac\n`;

const quoted = (word: string): string => `'${word.replaceAll("'", QUOTE)}'`;

/**
 * The front program reads it; without one it is a shell script. It has only special builtins, which an exported function of
 * bash cannot replace in `sh`.
 */
const launcherText = (starter: string, program: readonly string[], recorded: string, before = ""): string =>
  `#!${starter}\n${HEAD}${RECORDED}${recorded}\n${RUNTIME_LOADERS.map(handOver).join("")}${before}exec ${program.map(quoted).join(" ")} "$@"\n`;

/** Ends as a missing program does, which the registered lines report, instead of with a stack trace of Node. */
const ifGone = (starter: string, [runtime = "", script = runtime]: readonly string[]): string =>
  starter === SHELL ? `(: <${quoted(script)}) 2>/dev/null || exit 127\n` : "";

/** What the system starts with the launcher: the front program, or the shell. */
const starterIn = (text: string): string => text.slice(2, Math.max(2, text.indexOf("\n")));

const recordedIn = (text: string): string => new RegExp(`^${RECORDED}(.*)$`, "m").exec(text)?.[1] ?? "";

/** What is recorded of a file, without the inode and the device: a container and a backup change them. */
interface FileState {
  readonly owner: number;
  readonly size: number;
  readonly changed: number;
}

/** The state of what the system starts, the runtime, the script, and the bundle that the script loads. */
function currentStates(starter: string, [runtime = "", script]: readonly string[]) {
  const ours = script === undefined ? [runtime] : [runtime, script, join(dirname(dirname(script)), "dist", "hot.cjs")];
  const paths = starter === SHELL ? ours : [starter, ...ours];
  return paths.map((path): readonly [path: string, state: FileState | null] => {
    const stats = statOrNull(path);
    return [path, stats && { owner: stats.uid, size: stats.size, changed: Math.floor(stats.mtimeMs) }];
  });
}

/** A file that differs from its state at the install. */
export interface ChangedFile {
  readonly path: string;
  /** True if it now has another owner, or everybody may write it: no upgrade does that. */
  readonly isUnsafe: boolean;
}

/** The files of a launcher that have changed since the install. */
export function changedSinceInstall(text: string, program: readonly string[]): readonly ChangedFile[] {
  const recorded = parseObject(recordedIn(text)) as Readonly<Record<string, FileState | undefined>>;
  return currentStates(starterIn(text), program).flatMap(([path, now]) => {
    const before = recorded[path];
    const isWritableByAll = ((statOrNull(path)?.mode ?? 0) & 0o002) !== 0;
    const isUnsafe = (before !== undefined && before.owner !== now?.owner) || isWritableByAll;
    const isChanged = before?.size !== now?.size || before?.changed !== now?.changed;
    return isUnsafe || isChanged ? [{ path, isUnsafe }] : [];
  });
}

/** The words that a launcher starts; null if `install` did not write it. */
export function launchedProgram(text: string): readonly string[] | null {
  const start = text.lastIndexOf("\nexec ");
  const words = [...text.slice(start).matchAll(/'((?:[^']|'\\'')*)' /g)];
  const program = words.map(([, word = ""]) => word.replaceAll(QUOTE, "'"));
  const starter = starterIn(text);
  const isOurs = starter === SHELL || starter === frontBeside(program[1] ?? "");
  // Earlier versions wrote nothing before the program.
  const forms = [ifGone(starter, program), ""];
  const isWhole = forms.some((before) => launcherText(starter, program, recordedIn(text), before) === text);
  return isOurs && program.length > 0 && isWhole ? program : null;
}

/** The launcher to write. Returns null if it starts this hookctl already, or the registrations find hookctl on the PATH. */
export function planLauncher(target: InstallTarget, program: string, host: Host): Launcher | null {
  const file = launcherFile(target);
  if (file === null || !isLauncher(fromQuotes(program), target)) return null;
  const read = readIfPresent(file);
  const root = writeRootOf(target.scope === "machine" ? "machine" : "user", "", host.userId);
  const shown = file.replace(target.homeDir ?? "\0", "~");
  const before = read.ok ? (read.value?.toString("utf8") ?? null) : null;
  const words = ownProgram();
  const starter = (target.scope === "machine" ? null : frontProgram()) ?? SHELL;
  const recorded = JSON.stringify(Object.fromEntries(currentStates(starter, words)));
  const after = launcherText(starter, words, recorded, ifGone(starter, words));
  return before === after && isProgram(file) ? null : { file, shown, root, isShared: true, before, after };
}

/** True if agents would start another program than the one that a person chose. */
export const isReplaced = (launcher: Launcher | null): boolean => launcher !== null && launcher.before !== null;

/** How this hookctl is started. */
export const ownProgram = (): readonly string[] => [realPathOrSame(process.execPath), realPathOrSame(HOOKCTL_FILE)];

/** The part of a program, Node or a file of hookctl, that a user other than root could replace; null if there is no such part. */
export function replaceablePart([program = "", script]: readonly string[]) {
  const paths = script === undefined ? [program] : [program, dirname(dirname(script))];
  const causes = paths.map((path) => ({ path, cause: rootOnlyFault(path) }));
  return causes.flatMap(({ path, cause }) => (cause === null ? [] : [{ path, cause }]))[0] ?? null;
}

export function writeLauncher({ file, root, before, after }: Launcher, host: Host): void {
  checkWritable(root, file);
  onDisk(file, () => {
    const folders = makeFolder(dirname(file));
    // Every user of the machine starts it, whatever the umask of root is.
    for (const folder of folders) chmodSync(folder, 0o755);
    writeFileAtomic(file, after, { mode: 0o755 });
    noteWrite(file, { before, after, folders }, host);
  });
}
