/** Errors that say something of the place itself; any other (EIO, EMFILE, EAGAIN) says that we cannot look at all. */
const ABOUT_THE_PLACE = ["ENOENT", "EACCES", "EPERM", "ENOTDIR", "ELOOP", "ENAMETOOLONG"];

/** Errors that say that something may well be there, but not for us to see. */
export const keepsUnseen = (code: string): boolean => code === "EACCES" || code === "EPERM";

/** The code of an error about a place. A fault of the system is thrown on: taken for absence, it could drop a guard. */
export function placeError(error: unknown): string {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  if (!ABOUT_THE_PLACE.includes(code)) throw error;
  return code;
}
