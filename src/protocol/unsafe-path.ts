import { shellQuote } from "./command-line.ts";

/** A place where somebody else could change what is run, and what is wrong with it. */
export interface UnsafePath {
  readonly place: string;
  readonly cause: string;
}

/** The first unsafe place, and the others that must be mended with it. */
export interface UnsafePaths extends UnsafePath {
  readonly also?: readonly UnsafePath[];
}

export const GROUP_OR_WORLD_WRITABLE = "is writable by group or others";
/** The user cannot change its mode. */
export const WRITABLE_BY_OTHERS_AND_ROOT_OWNED = `${GROUP_OR_WORLD_WRITABLE} and belongs to root`;
export const ownedByAnother = (owner: number): string => `belongs to another user (uid ${owner})`;

export const listUnsafePaths = ({ place, cause, also = [] }: UnsafePaths): readonly UnsafePath[] => [
  { place, cause },
  ...also,
];

/** Null: no place is unsafe. A place that was met twice is told once, with what was found first. */
export function combineUnsafePaths(places: readonly UnsafePath[]): UnsafePaths | null {
  const causes = new Map<string, string>();
  for (const { place, cause } of places) if (!causes.has(place)) causes.set(place, cause);
  const [first, ...also] = [...causes].map(([place, cause]) => ({ place, cause }));
  if (first === undefined) return null;
  return also.length === 0 ? first : { ...first, also };
}

/** Each path that must change, those with the same cause together. */
export function describeUnsafePaths(unsafe: UnsafePaths): string {
  const parts = groupByCause(unsafe).map(([cause, places]) =>
    places.length === 1 ? `${places[0]} ${cause}` : `${places.join(", ")}: each ${cause}`,
  );
  return parts.join("; ");
}

/** One command that makes all of them safe, as far as their modes and owners are known. */
export function fixCommand(unsafe: UnsafePaths): string {
  const steps = new Map<string, string[]>();
  for (const { place, cause } of listUnsafePaths(unsafe)) {
    const step = fixFor(cause);
    steps.set(step, [...(steps.get(step) ?? []), shellQuote(place)]);
  }
  return [...steps].map(([step, words]) => `${step} ${words.join(" ")}`).join(" && ");
}

function fixFor(cause: string): string {
  if (cause.startsWith("belongs to")) return 'sudo chown "$USER"';
  if (cause === WRITABLE_BY_OTHERS_AND_ROOT_OWNED) return "sudo chmod go-w";
  return cause === GROUP_OR_WORLD_WRITABLE ? "chmod go-w" : "ls -ld";
}

function groupByCause(unsafe: UnsafePaths): readonly (readonly [cause: string, places: readonly string[]])[] {
  const found = new Map<string, string[]>();
  for (const { place, cause } of listUnsafePaths(unsafe)) found.set(cause, [...(found.get(cause) ?? []), place]);
  return [...found];
}
