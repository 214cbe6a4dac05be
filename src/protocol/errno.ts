/** Errors that say something of the place itself; any other (EIO, EMFILE, EAGAIN) says that we cannot look at all. */
const PATH_ERRNOS = ["ENOENT", "EACCES", "EPERM", "ENOTDIR", "ELOOP", "ENAMETOOLONG"];

/** Errors that say that something may well be there, but not for us to see. */
export const isPermissionErrno = (code: string): boolean => code === "EACCES" || code === "EPERM";

/** By what a failed call of the system is known, such as `ENOENT`; null: the error has no such code. */
export function errnoCode(error: unknown): string | null {
  // Not by its class: a test runner may load us in a realm of its own, and Node's errors come from another.
  const hasCode = typeof error === "object" && error !== null && "code" in error;
  return hasCode && typeof error.code === "string" ? error.code : null;
}

/** The code of an error about a place. A fault of the system is thrown on: taken for absence, it could drop a guard. */
export function pathErrno(error: unknown): string {
  const code = errnoCode(error) ?? "";
  if (!PATH_ERRNOS.includes(code)) throw error;
  return code;
}
