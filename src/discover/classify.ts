import { accessSync, constants, existsSync, realpathSync, type Stats, statSync } from "node:fs";
import { basename, isAbsolute, join } from "node:path";
import { firstBytes } from "../fs/read-file.ts";
import { encodingFault, type FormatFault, headFault } from "../process/format-fault.ts";
import { isPermissionErrno, pathErrno } from "../protocol/errno.ts";
import type { Candidate, FileStamp, SkippedFile, SkipReason } from "../protocol/hook.ts";

/** What is known of a candidate beside its name. */
type Kind = Pick<Candidate, "realPath" | "stamp">;
/** It cannot be examined, so it may be a hook. */
interface Unseen {
  readonly unseenBecause: string;
}

const BACKUP = /(~|\.bak|\.sample|\.swp)$/;

/**
 * Decides whether an entry of a hooks folder is a candidate, or why it is skipped. Never opens a FIFO, socket or device.
 * `ownRealPath` is null for a link, which is followed.
 */
export function classifyFile(path: string, name: string, ownRealPath: string | null): Kind | Unseen | SkipReason {
  if (name.endsWith(".disable")) return "disabled";
  if (BACKUP.test(name)) return "backup";
  if (name.startsWith(".")) return "dotfile";
  const stats = statOrReason(path, ownRealPath === null);
  if (typeof stats === "string" || "unseenBecause" in stats) return stats;
  if (stats.isDirectory()) return "sub_folder";
  if (!stats.isFile()) return "not_regular";
  if ((stats.mode & 0o111) === 0) return "not_executable";
  const real = ownRealPath === null ? realPathOf(path) : { realPath: ownRealPath };
  return typeof real === "object" && "realPath" in real ? { ...real, stamp: stampOf(stats) } : real;
}

/** Why a file is neither a script nor a program; null: it begins like one. Only for files that may be opened. */
export function formatFault(path: string): FormatFault | null {
  const head = firstBytes(path, 256);
  // An execute-only file cannot be read, but may be a program.
  return head === null ? null : headFault(head, path);
}

/** True if only the execute bit is missing; notes and data beside the hooks are not programs. */
export const lacksExecuteBit = ({ reason, path }: SkippedFile): boolean =>
  reason === "not_executable" && firstBytes(path, 1) !== null && formatFault(path) === null;

const stampOf = (stats: Stats): FileStamp => ({
  device: stats.dev,
  inode: stats.ino,
  size: stats.size,
  modifiedMs: stats.mtimeMs,
  changedMs: stats.ctimeMs,
  mode: stats.mode,
  owner: stats.uid,
  group: stats.gid,
});

function statOrReason(path: string, isLink: boolean): Stats | Unseen | SkipReason {
  try {
    return statSync(path);
  } catch (error) {
    const code = pathErrno(error);
    if (isPermissionErrno(code)) return { unseenBecause: code };
    if (code === "ELOOP") return "link_loop";
    return isLink && code === "ENOENT" ? "broken_link" : "unreadable";
  }
}

function realPathOf(path: string): { readonly realPath: string } | Unseen | SkipReason {
  try {
    return { realPath: realpathSync.native(path) };
  } catch (error) {
    const code = pathErrno(error);
    return isPermissionErrno(code) ? { unseenBecause: code } : "unreadable";
  }
}

/** Why the interpreter of a script cannot be started, in words; null: it exists, or the file is not a readable script. */
export function interpreterFault(path: string, searchPath: () => string): string | null {
  const head = firstBytes(path, 256) ?? "";
  const line = /^#![ \t]*([^\r\n]*)/.exec(head)?.[1];
  const encoding = encodingFault(head, path);
  if (encoding !== null) return encoding.cause;
  if (line === undefined) return null;
  const [interpreter = "", ...words] = line.split(/[ \t]+/);
  if (!existsSync(interpreter)) return `its interpreter ${interpreter} does not exist`;
  const program = basename(interpreter) === "env" ? programOfEnv(words) : null;
  if (program === null || isOnPath(program, searchPath())) return null;
  return `its interpreter ${program} is not in PATH`;
}

/** The program in `env -S NAME=value program`; null if options of env make that a guess. */
function programOfEnv(words: readonly string[]): string | null {
  const rest = words[0] === "-S" ? words.slice(1) : words;
  const program = rest.find((word) => !word.includes("="));
  return program === undefined || program.startsWith("-") ? null : program;
}

const isOnPath = (program: string, searchPath: string): boolean =>
  isAbsolute(program)
    ? isExecutable(program)
    : searchPath.split(":").some((folder) => isExecutable(join(folder, program)));

export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
