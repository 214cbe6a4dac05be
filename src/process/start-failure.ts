import { firstBytes } from "../fs/first-bytes.ts";

/** The cause of every file that the system cannot take for a program. */
export const NOT_A_PROGRAM = "it starts with neither #! nor a program's magic bytes";

/** Why a file could not be started, in words that name the cause and not just an errno. */
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

/** Was it the system that had nothing left, and not the file? */
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
