import { firstBytes } from "../fs/read-file.ts";
import type { HookProblem } from "../protocol/problem.ts";
import type { ProcessOutcome } from "./process-request.ts";

interface At {
  readonly hook: string;
  readonly path: string;
}

/** Why a child failed; null for exit code 0. `byDeadline`: its timeout was the time left until the deadline. */
export function outcomeProblem(at: At, outcome: ProcessOutcome, byDeadline = false): HookProblem | null {
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
      const { isFormat, cause } = startFailure(at.path, termination.errno);
      return { code: isFormat ? "HOOK_BAD_FORMAT" : "HOOK_NOT_STARTED", ...at, cause };
    }
  }
}

/** Why the system cannot execute a file. */
export const NOT_A_PROGRAM = "it starts with neither #! nor a program's magic bytes";

/** Why a file could not be started, in words instead of an errno. */
export function startFailure(file: string, errno: string): { readonly isFormat: boolean; readonly cause: string } {
  const head = firstBytes(file, 256) ?? "";
  const interpreter = /^#![ \t]*([^\n]*)/.exec(head)?.[1];
  if (interpreter?.endsWith("\r")) {
    return {
      isFormat: false,
      cause: "its first line ends with CRLF, a carriage return (\\r) that becomes part of the interpreter's name",
    };
  }
  if (errno === "ENOENT" && interpreter !== undefined) {
    return { isFormat: false, cause: `its interpreter ${interpreter.trim()} does not exist` };
  }
  if (errno === "ENOEXEC" || (errno === "EACCES" && interpreter === undefined)) {
    return { isFormat: true, cause: NOT_A_PROGRAM };
  }
  return { isFormat: false, cause: WORDS[errno] ?? errno };
}

/** True if the system was out of resources, so that the file is not at fault. */
export const isOutOfResources = (cause: string): boolean =>
  ["EAGAIN", "ENOMEM", "EMFILE", "ENFILE"].some((errno) => WORDS[errno] === cause);

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
