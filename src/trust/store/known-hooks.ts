import { objectOr } from "../../protocol/json/read.ts";
import { recordFile, type StoreLocation } from "./record-file.ts";

/** A hook of the user, and its response when it was asked for its events. */
export interface KnownHook {
  readonly name: string;
  readonly said: string;
}

/** By path. */
export type KnownHooks = ReadonlyMap<string, KnownHook>;

const FILE = recordFile("user-hooks.json", 1);

/** True if any of the user's hooks was recorded. Reads no file. */
export const hasKnownHooks = FILE.exists;

export const readKnownHooks = (location: StoreLocation): KnownHooks =>
  new Map(Object.entries(objectOr(FILE.read(location).hooks)).filter(isKnown));

/** Writes only if a hook is new or its answer has changed, which is rare. */
export function recordKnownHooks(now: KnownHooks, known: KnownHooks, { trustFile }: StoreLocation): void {
  const isRecorded = [...now].every(([path, { said }]) => known.get(path)?.said === said);
  if (isRecorded || trustFile === null) return;
  FILE.tryWrite(trustFile, { hooks: Object.fromEntries([...known, ...now]) });
}

export function forgetKnownHooks(paths: readonly string[], location: StoreLocation): void {
  const known = readKnownHooks(location);
  const remaining = [...known].filter(([path]) => !paths.includes(path));
  if (location.trustFile === null || remaining.length === known.size) return;
  if (remaining.length > 0) FILE.tryWrite(location.trustFile, { hooks: Object.fromEntries(remaining) });
  else FILE.remove(location.trustFile);
}

function isKnown(entry: [path: string, hook: unknown]): entry is [string, KnownHook] {
  const { name, said } = objectOr(entry[1]);
  return typeof name === "string" && typeof said === "string";
}
