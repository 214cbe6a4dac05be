/** Errors that are about the path itself. Any other (EIO, EMFILE, EAGAIN) is a fault of the system. */
const PATH_ERRNOS = ["ENOENT", "EACCES", "EPERM", "ENOTDIR", "ELOOP", "ENAMETOOLONG"];

/** True if the file may exist but is not visible to this user. */
export const isPermissionErrno = (code: string): boolean => code === "EACCES" || code === "EPERM";

/** The code of a system error, such as `ENOENT`; null if the error has none. */
export function errnoCode(error: unknown): string | null {
  // Not `instanceof Error`: in a test runner's own realm Node's errors have another class.
  const hasCode = typeof error === "object" && error !== null && "code" in error;
  return hasCode && typeof error.code === "string" ? error.code : null;
}

/** The code of an error about a path. A fault of the system is rethrown: treated as "not found", it could hide a guard. */
export function pathErrno(error: unknown): string {
  const code = errnoCode(error) ?? "";
  if (!PATH_ERRNOS.includes(code)) throw error;
  return code;
}
