import { dirname, join } from "node:path";
import { disk } from "../../fs/disk.ts";
import { writeFileAtomic } from "../../fs/write-file.ts";
import { readTrustFile } from "./trust-store.ts";

/** A settings file with guards as `--trust` or `project_hooks: allow` last approved it. */
export interface UsedSettings {
  /** The project's folder. */
  readonly folder: string;
  /** As canonical text. */
  readonly text: string;
}

/** By the path of the file. */
type UsedFiles = ReadonlyMap<string, UsedSettings>;

interface UsedSettingsPlace {
  /** Null: nowhere. */
  readonly trustFile: string | null;
  readonly userId: number;
}

/** Beside the approvals, because it needs the same protection. */
const fileBeside = (trustFile: string): string => join(dirname(trustFile), "used-settings.json");

/** More than anybody uses; the oldest are forgotten. */
const MOST_FILES = 200;
const VERSION = 1;

/** True if any were recorded. Reads no file. */
export const hasUsedSettings = (trustFile: string | null): boolean =>
  trustFile !== null && disk.existsSync(fileBeside(trustFile));

export function readUsedSettings({ trustFile, userId }: UsedSettingsPlace): UsedFiles {
  const text = trustFile === null ? null : readTrustFile(fileBeside(trustFile), userId);
  if (text === null || !text.ok || text.value === null) return new Map();
  try {
    const { version, files } = Object(JSON.parse(text.value));
    return new Map(Object.entries(version === VERSION ? Object(files) : {}).filter(isUsed));
  } catch {
    return new Map();
  }
}

/** Replaces what was recorded of these folders. */
export function recordUsedSettings(
  now: UsedFiles,
  {
    folders,
    before,
    trustFile,
  }: UsedSettingsPlace & { readonly folders: readonly string[]; readonly before: UsedFiles },
): void {
  const others = [...before].filter(([, { folder }]) => !folders.includes(folder));
  const files = Object.fromEntries([...others, ...now].slice(-MOST_FILES));
  if (trustFile === null || JSON.stringify(files) === JSON.stringify(Object.fromEntries(before))) return;
  try {
    writeFileAtomic(fileBeside(trustFile), JSON.stringify({ version: VERSION, files }));
  } catch {
    // Read-only or full: the settings themselves apply all the same.
  }
}

function isUsed(entry: [string, unknown]): entry is [string, UsedSettings] {
  const { folder, text } = Object(entry[1]);
  return typeof folder === "string" && typeof text === "string";
}
