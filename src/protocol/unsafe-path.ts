import { shellQuote } from "./text/shell-quote.ts";

/** A path at which another user could change the program, and why. */
export interface UnsafePath {
  readonly place: string;
  readonly cause: string;
}

/** The first unsafe path, and the others that must be fixed too. */
export interface UnsafePaths extends UnsafePath {
  readonly also?: readonly UnsafePath[];
}

export const GROUP_OR_WORLD_WRITABLE = "is writable by group or others";
/** Only root can change its mode. */
export const WRITABLE_BY_OTHERS_AND_ROOT_OWNED = `${GROUP_OR_WORLD_WRITABLE} and belongs to root`;
/** Why there is no folder for the user's own files. */
export const NO_USABLE_HOME = "HOME is not an existing absolute folder outside the project";
/** What to do about that cause, or about an unsafe path. */
export const placeHint = (cause: string): string =>
  cause.startsWith("/")
    ? "Fix its permissions: only you and root may be able to change it and the folders above it."
    : "Set HOME to your home directory.";
export const ownedByAnother = (owner: number): string => `belongs to another user (uid ${owner})`;

export const listUnsafePaths = ({ place, cause, also = [] }: UnsafePaths): readonly UnsafePath[] => [
  { place, cause },
  ...also,
];

/** Merges the lists, each path with its first cause; null if there is none. */
export function combineUnsafePaths(places: readonly UnsafePath[]): UnsafePaths | null {
  const causes = new Map<string, string>();
  for (const { place, cause } of places) if (!causes.has(place)) causes.set(place, cause);
  const [first, ...also] = [...causes].map(([place, cause]) => ({ place, cause }));
  if (first === undefined) return null;
  return also.length === 0 ? first : { ...first, also };
}

/** Names each path to fix, grouped by cause. */
export const describeUnsafePaths = (unsafe: UnsafePaths): string =>
  placesBy(unsafe, (cause) => cause)
    .map(([cause, places]) => (places.length === 1 ? `${places[0]} ${cause}` : `${places.join(", ")}: each ${cause}`))
    .join("; ");

/** Returns the shell command that fixes the modes and owners of all paths. */
export const fixCommand = (unsafe: UnsafePaths): string =>
  placesBy(unsafe, fixFor)
    .map(([step, places]) => `${step} ${places.map(shellQuote).join(" ")}`)
    .join(" && ");

function fixFor(cause: string): string {
  if (cause.startsWith("belongs to")) return 'sudo chown "$USER"';
  if (cause === WRITABLE_BY_OTHERS_AND_ROOT_OWNED) return "sudo chmod go-w";
  return cause === GROUP_OR_WORLD_WRITABLE ? "chmod go-w" : "ls -ld";
}

/** The places by a text that is made of their causes. */
function placesBy(unsafe: UnsafePaths, group: (cause: string) => string) {
  const found = new Map<string, string[]>();
  for (const { place, cause } of listUnsafePaths(unsafe))
    found.set(group(cause), [...(found.get(group(cause)) ?? []), place]);
  return [...found];
}
