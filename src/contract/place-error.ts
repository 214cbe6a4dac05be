/** Errors that say something of the place itself; any other (EIO, EMFILE, EAGAIN) says that we cannot look at all. */
const ABOUT_THE_PLACE = ["ENOENT", "EACCES", "EPERM", "ENOTDIR", "ELOOP", "ENAMETOOLONG"];

/** The code of an error about a place. A fault of the system is thrown on: taken for absence, it could drop a guard. */
export function placeError(error: unknown): string {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  if (!ABOUT_THE_PLACE.includes(code)) throw error;
  return code;
}
