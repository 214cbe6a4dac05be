import { constants } from "node:fs";
import { basename, isAbsolute, join } from "node:path";
import { disk } from "../fs/disk.ts";
import { firstBytes } from "../fs/read-file.ts";
import { ownValue } from "../protocol/own-value.ts";
import type { HookProblem, ProblemHook } from "../protocol/problem.ts";
import { shellQuote } from "../protocol/text/shell-quote.ts";
import type { ProcessOutcome } from "./process-request.ts";

/** Why a child failed; null for exit code 0. `byDeadline`: its timeout was the time left until the deadline. */
export function outcomeProblem(at: ProblemHook, outcome: ProcessOutcome, byDeadline = false): HookProblem | null {
  const { termination, killedDescendants, stderr } = outcome;
  switch (termination.kind) {
    case "exited":
      return termination.exitCode === 0 ? null : { code: "HOOK_EXITED", ...at, exitCode: termination.exitCode, stderr };
    case "signalled":
      return { code: "HOOK_SIGNALLED", ...at, signal: termination.signal };
    case "timed-out":
      return { code: "HOOK_TIMED_OUT", ...at, afterMs: termination.afterMs, byDeadline, ended: killedDescendants };
    case "interrupted":
      return { code: "HOOK_INTERRUPTED", ...at, signal: termination.signal };
    case "too-much-output":
      return { code: "HOOK_TOO_MUCH_OUTPUT", ...at, limitBytes: termination.limitBytes };
    case "not-started": {
      const { cause, fix } = startFailure(at.path, termination.errno);
      return fix === null ? { code: "HOOK_NOT_STARTED", ...at, cause } : { code: "HOOK_BAD_FORMAT", ...at, cause, fix };
    }
  }
}

/** Why a file could not be started, in words instead of an errno; with a fix if the fault is in its first bytes. */
export function startFailure(file: string, errno: string): { readonly cause: string; readonly fix: string | null } {
  const read = firstBytes(file, 256);
  const head = read ?? "";
  const interpreter = /^#![ \t]*([^\n]*)/.exec(head)?.[1];
  const fault = encodingFault(head, file);
  if (fault !== null) return fault;
  if (errno === "ENOENT" && interpreter !== undefined) {
    return { fix: null, cause: `its interpreter ${interpreter.trim()} does not exist` };
  }
  // A script without #! cannot be executed either, and the errno then says no more than that.
  const isFormat = read !== null && (errno === "ENOEXEC" || (errno === "EACCES" && interpreter === undefined));
  return (isFormat ? headFault(head, file) : null) ?? { fix: null, cause: ownValue(WORDS, errno) ?? errno };
}

/** True if the system was out of resources, so that the file is not at fault. */
export const isOutOfResources = (cause: string): boolean =>
  ["EAGAIN", "ENOMEM", "EMFILE", "ENFILE"].some((errno) => ownValue(WORDS, errno) === cause);

const WORDS: Readonly<Record<string, string>> = {
  ENOENT: "the file does not exist (ENOENT)",
  EACCES: "it may not be executed (EACCES)",
  EPERM: "it may not be executed (EPERM)",
  ETXTBSY: "another process has it open for writing (ETXTBSY)",
  EAGAIN: "no more processes can be started (EAGAIN)",
  ENOMEM: "there is no memory left for a process (ENOMEM)",
  EMFILE: "too many files are open (EMFILE)",
  ENFILE: "too many files are open on the system (ENFILE)",
  E2BIG: "its arguments and environment are too large (E2BIG)",
  EIO: "the disk failed (EIO)",
};

/** Why the system cannot execute a file as it is, and what to type against it. */
export interface FormatFault {
  readonly cause: string;
  readonly fix: string;
}

/** A shell runs a script without an interpreter, so #! alone is not enough. */
const SCRIPT = /^#![ \t]*[^ \t\n]/;
const ELF = "\x7fELF";
/** The Mach-O forms. */
const MAGIC = ["\xfe\xed\xfa\xce", "\xfe\xed\xfa\xcf", "\xce\xfa\xed\xfe", "\xcf\xfa\xed\xfe", "\xca\xfe\xba\xbe"];

/** What is wrong with the first bytes of a file, one character for each byte; null: it begins like a script or a program. */
function headFault(head: string, path: string): FormatFault | null {
  const encoding = encodingFault(head, path);
  if (encoding !== null) return encoding;
  if (SCRIPT.test(head) || MAGIC.some((magic) => head.startsWith(magic))) return null;
  const cause = head.startsWith(ELF)
    ? "it starts like an ELF file, but its header is not that of a program"
    : "it starts with neither #! nor a program's magic bytes";
  return head.startsWith(ELF) && isLoadable(head)
    ? null
    : { cause, fix: "Start a script with a line such as #!/bin/sh" };
}

/**
 * What an editor wrote that no editor shows: the system reads these bytes as a part of the interpreter's name, or finds
 * no #! behind them. The fixes use perl, because `sed -i` differs between systems.
 */
export function encodingFault(head: string, path: string): FormatFault | null {
  if (head.startsWith("\xef\xbb\xbf")) {
    return {
      cause: "it starts with a byte order mark (BOM), so the system does not see its #!",
      fix: `Remove the mark: perl -pi -e 's/^\\xEF\\xBB\\xBF//' ${shellQuote(path)}`,
    };
  }
  if (/^(\xff\xfe|\xfe\xff)/.test(head)) {
    return {
      cause: "it is written in UTF-16, which the system cannot execute",
      fix: `Save it as UTF-8: ${shellQuote(path)}`,
    };
  }
  if (/^#![^\n]*\r(\n|$)/.test(head) && !SPLITS.test(head)) {
    return {
      cause: "its first line ends with CRLF, and the carriage return (\\r) becomes part of the interpreter's name",
      fix: `Convert its CRLF line endings: perl -pi -e 's/\\r$//' ${shellQuote(path)}`,
    };
  }
  return null;
}

/** `env -S` takes a carriage return for a space. */
const SPLITS = /^#![ \t]*\S*\benv[ \t]+-\S*S/;

/** True if the system can load this ELF file. Otherwise a shell would run its bytes as commands. */
function isLoadable(head: string): boolean {
  const [size, order, version] = [head.charCodeAt(4), head.charCodeAt(5), head.charCodeAt(6)];
  const [low, high] = order === 1 ? [16, 17] : [17, 16];
  const type = head.charCodeAt(low) + 256 * head.charCodeAt(high);
  return [1, 2].includes(size) && [1, 2].includes(order) && version === 1 && ELF_PROGRAMS.includes(type);
}

/** ET_EXEC and ET_DYN. */
const ELF_PROGRAMS = [2, 3];

/** Why a file is neither a script nor a program; null: it begins like one. Only for files that may be opened. */
export function formatFault(path: string): FormatFault | null {
  const head = firstBytes(path, 256);
  // An execute-only file cannot be read, but may be a program.
  return head === null ? null : headFault(head, path);
}

/** Why the interpreter of a script cannot be started, in words; null: it exists, or the file is not a readable script. */
export function interpreterFault(path: string, searchPath: () => string): string | null {
  const head = firstBytes(path, 256) ?? "";
  const line = /^#![ \t]*([^\r\n]*)/.exec(head)?.[1];
  const encoding = encodingFault(head, path);
  if (encoding !== null) return encoding.cause;
  if (line === undefined) return null;
  const [interpreter = "", ...words] = line.split(/[ \t]+/);
  if (!disk.existsSync(interpreter)) return `its interpreter ${interpreter} does not exist`;
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
    disk.accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
