import { rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { disk } from "../../fs/disk.ts";
import { writeFileAtomic } from "../../fs/write-file.ts";
import { objectOr } from "../../protocol/json/read.ts";
import { readTrustFile, type TrustStorePaths } from "./trust-store.ts";

export type StoreLocation = Pick<TrustStorePaths, "trustFile" | "userId">;

/** A JSON file beside the approvals, because it needs the same protection. */
export interface RecordFile {
  /** True if anything was recorded. Reads no file. */
  readonly exists: (trustFile: string | null) => boolean;
  /** The content; empty without a file, and for a file that is broken or of another version. */
  readonly read: (location: StoreLocation) => Readonly<Record<string, unknown>>;
  /** Throws disk errors. */
  readonly write: (trustFile: string, content: object) => void;
  /** Like `write`, but ignores disk errors: the next call tries again. */
  readonly tryWrite: (trustFile: string, content: object) => void;
  readonly remove: (trustFile: string) => void;
}

export function recordFile(name: string, version: number, olderVersions: readonly number[] = []): RecordFile {
  const pathBeside = (trustFile: string): string => join(dirname(trustFile), name);
  const write: RecordFile["write"] = (trustFile, content) =>
    writeFileAtomic(pathBeside(trustFile), JSON.stringify({ version, ...content }));
  return {
    exists: (trustFile) => trustFile !== null && disk.existsSync(pathBeside(trustFile)),
    read: ({ trustFile, userId }) => {
      const text = trustFile === null ? null : readTrustFile(pathBeside(trustFile), userId);
      if (text === null || !text.ok || text.value === null) return {};
      try {
        const content = objectOr(JSON.parse(text.value));
        return [version, ...olderVersions].some((known) => known === content.version) ? content : {};
      } catch {
        return {};
      }
    },
    write,
    tryWrite: (trustFile, content) => {
      try {
        write(trustFile, content);
      } catch {
        // The disk is full or read-only.
      }
    },
    remove: (trustFile) => rmSync(pathBeside(trustFile), { force: true }),
  };
}

/** A hook of the user, and its response when it was asked for its events. */
export interface KnownHook {
  readonly name: string;
  readonly said: string;
}

/** By path. */
export type KnownHooks = ReadonlyMap<string, KnownHook>;

const HOOKS_FILE = recordFile("user-hooks.json", 1);

/** True if any of the user's hooks was recorded. Reads no file. */
export const hasKnownHooks = HOOKS_FILE.exists;

export const readKnownHooks = (location: StoreLocation): KnownHooks =>
  new Map(Object.entries(objectOr(HOOKS_FILE.read(location).hooks)).filter(isKnown));

/** Writes only if a hook is new or its answer has changed, which is rare. */
export function recordKnownHooks(now: KnownHooks, known: KnownHooks, { trustFile }: StoreLocation): void {
  const isRecorded = [...now].every(([path, { said }]) => known.get(path)?.said === said);
  if (isRecorded || trustFile === null) return;
  HOOKS_FILE.tryWrite(trustFile, { hooks: Object.fromEntries([...known, ...now]) });
}

export function forgetKnownHooks(paths: readonly string[], location: StoreLocation): void {
  const known = readKnownHooks(location);
  const remaining = [...known].filter(([path]) => !paths.includes(path));
  if (location.trustFile === null || remaining.length === known.size) return;
  if (remaining.length > 0) HOOKS_FILE.tryWrite(location.trustFile, { hooks: Object.fromEntries(remaining) });
  else HOOKS_FILE.remove(location.trustFile);
}

function isKnown(entry: [path: string, hook: unknown]): entry is [string, KnownHook] {
  const { name, said } = objectOr(entry[1]);
  return typeof name === "string" && typeof said === "string";
}

/** A settings file with guards as `--trust` or `project_hooks: allow` last approved it. */
export interface UsedSettings {
  /** The project's folder. */
  readonly folder: string;
  /** As canonical text. */
  readonly text: string;
}

/** By the path of the file. */
type UsedFiles = ReadonlyMap<string, UsedSettings>;

const SETTINGS_FILE = recordFile("used-settings.json", 1);

/** More than anybody uses; the oldest are forgotten. */
const MOST_FILES = 200;

/** True if any were recorded. Reads no file. */
export const hasUsedSettings = SETTINGS_FILE.exists;

export const readUsedSettings = (location: StoreLocation): UsedFiles =>
  new Map(Object.entries(objectOr(SETTINGS_FILE.read(location).files)).filter(isUsed));

interface UsedChange extends Pick<StoreLocation, "trustFile"> {
  readonly folders: readonly string[];
  readonly before: UsedFiles;
}

/** Replaces the records of these folders. */
export function recordUsedSettings(now: UsedFiles, { folders, before, trustFile }: UsedChange): void {
  const others = [...before].filter(([, { folder }]) => !folders.includes(folder));
  const files = Object.fromEntries([...others, ...now].slice(-MOST_FILES));
  if (trustFile === null || JSON.stringify(files) === JSON.stringify(Object.fromEntries(before))) return;
  SETTINGS_FILE.tryWrite(trustFile, { files });
}

function isUsed(entry: [string, unknown]): entry is [string, UsedSettings] {
  const { folder, text } = objectOr(entry[1]);
  return typeof folder === "string" && typeof text === "string";
}
