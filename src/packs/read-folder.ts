import { constants, type Dirent, lstatSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { withRegularFile } from "../fs/read-file.ts";
import { errnoCode } from "../protocol/errno.ts";
import type { PackProblem } from "../protocol/problem.ts";
import { fail, ok, type Result } from "../protocol/result.ts";
import { type Pack, type PackFile, type PackSource, sourceText, type WantedPack } from "./pack.ts";
import { type ListedFile, MOST_BYTES, selectPackFiles } from "./pack-files.ts";

type FolderSource = Extract<PackSource, { readonly kind: "folder" }>;

const MOST_ENTRIES = 20_000;
/** The folders in which a pack can lie; the rest of a project is not searched. */
const SEARCHED = /^(?:\.kodelet|(?:\.kodelet\/)?(?:hooks|tests)(?:\/.*)?)$/;

/** Reads a pack from a folder as it is now. */
export function readFolderPack(
  wanted: WantedPack & { readonly source: FolderSource },
  root: string,
): Result<Pack, PackProblem> {
  const folder = resolve(root, wanted.source.path);
  const source = sourceText(wanted.source);
  try {
    const selection = selectPackFiles(listFiles(folder, SEARCHED), source);
    if (!selection.ok) return selection;
    const files = selection.value.map(({ file, path }) => readFile(join(folder, file.path), path));
    return ok({ ...wanted, pin: {}, files });
  } catch (error) {
    return fail({ code: "PACK_NOT_FETCHED", source, cause: errnoCode(error) ?? String(error) });
  }
}

/** Opened without following a link: it may have been put there since the folder was listed. */
function readFile(file: string, path: string): PackFile {
  return withRegularFile(
    file,
    ({ descriptor, stats }) => {
      if (stats.size > MOST_BYTES) throw new Error(`${path} is too large`);
      return { path, isExecutable: (stats.mode & 0o111) !== 0, bytes: readFileSync(descriptor) };
    },
    constants.O_NOFOLLOW,
  );
}

/** Lists the files of a folder and of those below it whose path matches. Throws if one cannot be read, or they are too many. */
export function listFiles(folder: string, searched: RegExp): readonly ListedFile[] {
  const files: ListedFile[] = [];
  const visit = (below: string): void => {
    for (const entry of readdirSync(join(folder, below), { withFileTypes: true })) {
      const path = below === "" ? entry.name : `${below}/${entry.name}`;
      if (entry.isDirectory() && searched.test(path)) visit(path);
      if (!entry.isDirectory()) files.push(listed(path, entry, folder));
      if (files.length > MOST_ENTRIES) throw new Error(`it holds more than ${MOST_ENTRIES} files`);
    }
  };
  visit("");
  return files;
}

function listed(path: string, entry: Dirent, folder: string): ListedFile {
  const kind = entry.isFile() ? "file" : entry.isSymbolicLink() ? "link" : "device";
  if (kind !== "file") return { path, kind, isExecutable: false, size: 0 };
  const { size, mode } = lstatSync(join(folder, path));
  return { path, kind, size, isExecutable: (mode & 0o111) !== 0 };
}
