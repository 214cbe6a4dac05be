import { shellWord } from "./command-line.ts";

/** A place where somebody else could change what is run, and what is wrong with it. */
export interface Unsafe {
  readonly place: string;
  readonly cause: string;
}

/** The first unsafe place, and the others that must be mended with it. */
export interface UnsafePlaces extends Unsafe {
  readonly also?: readonly Unsafe[];
}

export const OPEN_TO_OTHERS = "is writable by group or others";
/** The user cannot change its mode. */
export const OPEN_AND_ROOTS = `${OPEN_TO_OTHERS} and belongs to root`;
export const belongsTo = (owner: number): string => `belongs to another user (uid ${owner})`;

export const placesOf = ({ place, cause, also = [] }: UnsafePlaces): readonly Unsafe[] => [{ place, cause }, ...also];

/** Null: no place is unsafe. A place that was met twice is told once, with what was found first. */
export function joined(places: readonly Unsafe[]): UnsafePlaces | null {
  const causes = new Map<string, string>();
  for (const { place, cause } of places) if (!causes.has(place)) causes.set(place, cause);
  const [first, ...also] = [...causes].map(([place, cause]) => ({ place, cause }));
  if (first === undefined) return null;
  return also.length === 0 ? first : { ...first, also };
}

/** Each path that must change, those with the same cause together. */
export function unsafeWords(unsafe: UnsafePlaces): string {
  const parts = byCause(unsafe).map(([cause, places]) =>
    places.length === 1 ? `${places[0]} ${cause}` : `${places.join(", ")}: each ${cause}`,
  );
  return parts.join("; ");
}

/** One command that makes all of them safe, as far as their modes and owners are known. */
export function mending(unsafe: UnsafePlaces): string {
  const steps = new Map<string, string[]>();
  for (const { place, cause } of placesOf(unsafe)) {
    const step = stepFor(cause);
    steps.set(step, [...(steps.get(step) ?? []), shellWord(place)]);
  }
  return [...steps].map(([step, words]) => `${step} ${words.join(" ")}`).join(" && ");
}

function stepFor(cause: string): string {
  if (cause.startsWith("belongs to")) return 'sudo chown "$USER"';
  if (cause === OPEN_AND_ROOTS) return "sudo chmod go-w";
  return cause === OPEN_TO_OTHERS ? "chmod go-w" : "ls -ld";
}

function byCause(unsafe: UnsafePlaces): readonly (readonly [cause: string, places: readonly string[]])[] {
  const found = new Map<string, string[]>();
  for (const { place, cause } of placesOf(unsafe)) found.set(cause, [...(found.get(cause) ?? []), place]);
  return [...found];
}
