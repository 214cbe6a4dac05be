import { join } from "node:path";
import { disk } from "../fs/disk.ts";
import { withRegularFile } from "../fs/read-file.ts";
import { credentialAt } from "../redact/credential-files.ts";
import { secretValuesIn } from "../redact/stored-values.ts";
import folders from "./credential-folders.json" with { type: "json" };

const [MOST_FILES, MOST_BYTES, MOST_VALUES] = [40, 65_536, 200];

/** The files with credentials in the home, in the folders in which programs keep them. */
export const homeCredentials = (home: string): readonly string[] =>
  folders.flatMap((folder) => credentialsIn(join(home, folder), home)).slice(0, MOST_FILES);

/** The files with credentials in a folder, without those in folders below it. */
export function credentialsIn(folder: string, home: string): readonly string[] {
  try {
    const names = disk.readdirSync(folder);
    return names
      .map((name) => join(folder, name))
      .filter((path) => credentialAt(path, home)?.certainty === "sure")
      .slice(0, MOST_FILES);
  } catch {
    return [];
  }
}

interface KnownFile {
  readonly state: string;
  readonly values: readonly string[];
}

/** Values of files that have not changed since they were read. */
const knownFiles = new Map<string, KnownFile>();
const knownLists = new Map<string, readonly string[]>();
const MOST_KNOWN = 100;

/** The values of the secrets in files. The same files have the same list. */
export function storedValues(files: readonly string[]): readonly string[] {
  const read = files.map(readFile);
  const key = files.map((file, at) => `${file}\0${read[at]?.state}`).join("\0");
  const known = knownLists.get(key);
  if (known !== undefined) return known;
  const values = [...new Set(read.flatMap((file) => file.values))].slice(0, MOST_VALUES);
  remember(knownLists, key, values);
  return values;
}

const UNREADABLE: KnownFile = { state: "", values: [] };

function readFile(path: string): KnownFile {
  try {
    return withRegularFile(path, ({ descriptor, stats }) => {
      const state = `${stats.ino} ${stats.size} ${stats.mtimeMs} ${stats.ctimeMs}`;
      const before = knownFiles.get(path);
      if (before?.state === state) return before;
      const text = stats.size > MOST_BYTES ? "" : disk.readFileSync(descriptor).toString("utf8");
      const known = { state, values: secretValuesIn(text, /\.env[^/]*$/i.test(path)) };
      remember(knownFiles, path, known);
      return known;
    });
  } catch {
    return UNREADABLE;
  }
}

function remember<T>(known: Map<string, T>, key: string, value: T): void {
  if (known.size >= MOST_KNOWN) known.clear();
  known.set(key, value);
}
