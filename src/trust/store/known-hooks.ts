import { rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { disk } from "../../fs/disk.ts";
import { writeFileAtomic } from "../../fs/write-file.ts";
import { readTrustFile } from "./trust-store.ts";

/** One of the user's own hooks, and what it printed when it was asked for its events. */
export interface KnownHook {
  readonly name: string;
  readonly said: string;
}

/** By path. */
export type KnownHooks = ReadonlyMap<string, KnownHook>;

interface KnownHooksFile {
  readonly trustFile: string | null;
  readonly userId: number;
}

const VERSION = 1;

/** Beside the approvals, because it needs the same protection. */
const fileBeside = (trustFile: string): string => join(dirname(trustFile), "user-hooks.json");

/** True if any of the user's hooks was recorded. Reads no file. */
export const hasKnownHooks = (trustFile: string | null): boolean =>
  trustFile !== null && disk.existsSync(fileBeside(trustFile));

export function readKnownHooks({ trustFile, userId }: KnownHooksFile): KnownHooks {
  const text = trustFile === null ? null : readTrustFile(fileBeside(trustFile), userId);
  if (text === null || !text.ok || text.value === null) return new Map();
  try {
    const { version, hooks } = Object(JSON.parse(text.value));
    return new Map(Object.entries(version === VERSION ? Object(hooks) : {}).filter(isKnown));
  } catch {
    return new Map();
  }
}

/** Writes only if a hook is new or its answer has changed, which is rare. */
export function recordKnownHooks(now: KnownHooks, known: KnownHooks, { trustFile }: KnownHooksFile): void {
  const isNoted = [...now].every(([path, { said }]) => known.get(path)?.said === said);
  if (isNoted || trustFile === null) return;
  write(fileBeside(trustFile), new Map([...known, ...now]));
}

/** Returns the paths that were recorded. */
export function forgetKnownHooks(paths: readonly string[], place: KnownHooksFile): readonly string[] {
  const known = readKnownHooks(place);
  const forgotten = paths.filter((path) => known.has(path));
  if (place.trustFile === null || forgotten.length === 0) return [];
  const kept = new Map(known);
  for (const path of forgotten) kept.delete(path);
  if (kept.size > 0) write(fileBeside(place.trustFile), kept);
  else rmSync(fileBeside(place.trustFile), { force: true });
  return forgotten;
}

function write(file: string, hooks: KnownHooks): void {
  try {
    writeFileAtomic(file, JSON.stringify({ version: VERSION, hooks: Object.fromEntries(hooks) }));
  } catch {
    // Read-only or full: the hooks run all the same, and the next call tries again.
  }
}

function isKnown(entry: [path: string, hook: unknown]): entry is [string, KnownHook] {
  const { name, said } = Object(entry[1]);
  return typeof name === "string" && typeof said === "string";
}
