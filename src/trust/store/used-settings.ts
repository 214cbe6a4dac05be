import { objectOr } from "../../protocol/json/read.ts";
import { recordFile, type StoreLocation } from "./record-file.ts";

/** A settings file with guards as `--trust` or `project_hooks: allow` last approved it. */
export interface UsedSettings {
  /** The project's folder. */
  readonly folder: string;
  /** As canonical text. */
  readonly text: string;
}

/** By the path of the file. */
type UsedFiles = ReadonlyMap<string, UsedSettings>;

const FILE = recordFile("used-settings.json", 1);

/** More than anybody uses; the oldest are forgotten. */
const MOST_FILES = 200;

/** True if any were recorded. Reads no file. */
export const hasUsedSettings = FILE.exists;

export const readUsedSettings = (location: StoreLocation): UsedFiles =>
  new Map(Object.entries(objectOr(FILE.read(location).files)).filter(isUsed));

interface UsedChange extends Pick<StoreLocation, "trustFile"> {
  readonly folders: readonly string[];
  readonly before: UsedFiles;
}

/** Replaces the records of these folders. */
export function recordUsedSettings(now: UsedFiles, { folders, before, trustFile }: UsedChange): void {
  const others = [...before].filter(([, { folder }]) => !folders.includes(folder));
  const files = Object.fromEntries([...others, ...now].slice(-MOST_FILES));
  if (trustFile === null || JSON.stringify(files) === JSON.stringify(Object.fromEntries(before))) return;
  FILE.tryWrite(trustFile, { files });
}

function isUsed(entry: [string, unknown]): entry is [string, UsedSettings] {
  const { folder, text } = objectOr(entry[1]);
  return typeof folder === "string" && typeof text === "string";
}
