import { join } from "node:path";
import { ABSENT, fileState, isSettledState } from "../config/config-files.ts";
import { disk } from "../fs/disk.ts";
import { entryNames } from "../fs/paths.ts";
import { withRegularFile } from "../fs/read-file.ts";
import { credentialAt } from "../redact/credential-files.ts";
import { secretValuesIn } from "../redact/stored-values.ts";
import folders from "./credential-folders.json" with { type: "json" };

const [MOST_FILES, MOST_BYTES, MOST_VALUES] = [40, 65_536, 200];

/** The files with credentials in the home, in the folders in which programs keep them. */
export const homeCredentials = (home: string): readonly string[] =>
  Object.entries(folders)
    .flatMap(([above, names]) => presentIn(join(home, above), names))
    .flatMap((folder) => credentialsIn(folder, home))
    .slice(0, MOST_FILES);

/** Most of these folders are missing, and still are while the folder above them is unchanged. */
const presentIn = (above: string, names: readonly string[]): readonly string[] =>
  kept(knownFolders, above, "above", () =>
    names.map((name) => join(above, name)).filter((folder) => fileState(folder) !== ABSENT),
  ).value;

/** The files with credentials in a folder, without those in folders below it. */
export function credentialsIn(folder: string, home: string): readonly string[] {
  const list = () => entryNames(folder).map((name) => join(folder, name));
  const isSure = (path: string) => credentialAt(path, home)?.certainty === "sure";
  return kept(knownFolders, folder, home, () => list().filter(isSure).slice(0, MOST_FILES)).value;
}

interface Known {
  /** Of the file or folder when it was read; null if it may change once more without other times. */
  readonly state: string | null;
  readonly value: readonly string[];
}

/** What was read of files and folders that have not changed since. */
const [knownFiles, knownFolders] = [new Map<string, Known>(), new Map<string, Known>()];
const knownLists = new Map<string, readonly string[]>();
const MOST_KNOWN = 100;

function kept(known: Map<string, Known>, path: string, home: string, read: () => readonly string[]): Known {
  const key = `${home}\0${path}`;
  const state = fileState(path);
  const before = known.get(key);
  if (before?.state === state) return before;
  const now = { state: isSettledState([path, state], Date.now()) ? state : null, value: read() };
  remember(known, key, now);
  return now;
}

/** The values of the secrets in files. The same files have the same list. */
export function storedValues(files: readonly string[]): readonly string[] {
  const read = files.map(readFile);
  const key = files.map((file, at) => `${file}\0${read[at]?.state}`).join("\0");
  const known = knownLists.get(key);
  if (known !== undefined) return known;
  const values = [...new Set(read.flatMap(({ value }) => value))].slice(0, MOST_VALUES);
  if (read.every(({ state }) => state !== null)) remember(knownLists, key, values);
  return values;
}

const readFile = (path: string): Known => kept(knownFiles, path, "", () => valuesIn(path));

function valuesIn(path: string): readonly string[] {
  try {
    return withRegularFile(path, ({ descriptor, stats }) => {
      const text = stats.size > MOST_BYTES ? "" : disk.readFileSync(descriptor).toString("utf8");
      return secretValuesIn(text, /\.env[^/]*$/i.test(path));
    });
  } catch {
    return [];
  }
}

function remember<T>(known: Map<string, T>, key: string, value: T): void {
  if (known.size >= MOST_KNOWN) known.clear();
  known.set(key, value);
}
