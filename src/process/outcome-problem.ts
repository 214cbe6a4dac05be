import { firstBytes } from "../fs/read-file.ts";
import type { HookProblem } from "../protocol/problem.ts";
import { encodingFault, headFault } from "./format-fault.ts";
import type { ProcessOutcome } from "./process-request.ts";

type At = Pick<HookProblem, "hook" | "path" | "sandbox">;

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
      const { cause, fix } = startFailure(at.path, termination.errno);
      return fix === null ? { code: "HOOK_NOT_STARTED", ...at, cause } : { code: "HOOK_BAD_FORMAT", ...at, cause, fix };
    }
  }
}

/** Why a file could not be started, in words instead of an errno; with a fix if the fault is in its first bytes. */
export function startFailure(file: string, errno: string): { readonly cause: string; readonly fix: string | null } {
  const head = firstBytes(file, 256) ?? "";
  const interpreter = /^#![ \t]*([^\n]*)/.exec(head)?.[1];
  const fault = encodingFault(head, file);
  if (fault !== null) return fault;
  if (errno === "ENOENT" && interpreter !== undefined) {
    return { fix: null, cause: `its interpreter ${interpreter.trim()} does not exist` };
  }
  // A script without #! cannot be executed either, and the errno then says no more than that.
  const isFormat = errno === "ENOEXEC" || (errno === "EACCES" && interpreter === undefined);
  return (isFormat ? headFault(head, file) : null) ?? { fix: null, cause: WORDS[errno] ?? errno };
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
