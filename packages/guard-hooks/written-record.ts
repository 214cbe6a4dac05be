import { join } from "node:path";
import { isSurelyMissing } from "../../src/fs/paths.ts";
import { isObject } from "../../src/protocol/json/read.ts";
import { changeSession, readUnlocked, type SessionFile } from "../../src/session/session-files.ts";

/** A file that the agent wrote, by its path without links. */
interface WrittenFile {
  readonly path: string;
  readonly atMs: number;
}

/** A script that an agent starts a day after it wrote it is no longer its own. */
const WRITTEN_WINDOW_MS = 12 * 60 * 60_000;

/** The latest are kept. */
const MOST = 200;

const VERSION = 1;

const FILE: SessionFile<readonly WrittenFile[]> = {
  name: "written",
  empty: [],
  read: parse,
  write: (files) =>
    files.length === 0 ? null : `${JSON.stringify({ version: VERSION, files: files.slice(-MOST) })}\n`,
};

function parse(text: string): readonly WrittenFile[] | null {
  try {
    const found: unknown = JSON.parse(text);
    if (!isObject(found) || found.version !== VERSION || !Array.isArray(found.files)) return null;
    const files: readonly unknown[] = found.files;
    return files.every(isWritten) ? files : null;
  } catch {
    return null;
  }
}

const isWritten = (value: unknown): value is WrittenFile =>
  isObject(value) && typeof value.path === "string" && Number.isSafeInteger(value.atMs);

/** True if no file is known: then nothing has to be loaded. */
export const knowsNoWrittenFiles = (folder: string): boolean => isSurelyMissing(join(folder, FILE.name));

/** The files that agents wrote in a project, in the order of the writes. */
export async function readWrittenFiles(folder: string, nowMs: number): Promise<readonly string[]> {
  const read = await readUnlocked(folder, FILE);
  return read.ok ? read.value.value.filter(isAlive(nowMs)).map(({ path }) => path) : [];
}

/** Adds files under a lock. A record that cannot be kept stops no call. */
export async function addWrittenFiles(folder: string, nowMs: number, paths: readonly string[]): Promise<void> {
  await changeSession(
    folder,
    ({ read, write }) => {
      const others = read(FILE).filter((one) => isAlive(nowMs)(one) && !paths.includes(one.path));
      write(FILE, [...others, ...paths.map((path) => ({ path, atMs: nowMs }))]);
    },
    PATIENCE_MS,
  );
}

const PATIENCE_MS = 1_000;

const isAlive =
  (nowMs: number) =>
  ({ atMs }: WrittenFile): boolean =>
    Math.abs(nowMs - atMs) < WRITTEN_WINDOW_MS;
