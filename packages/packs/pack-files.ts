import { constants, readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import fastGlob from "fast-glob";
import { checkPackSettings } from "../../src/config/compile-entries.ts";
import { parseText } from "../../src/config/parse-file.ts";
import { withRegularFile } from "../../src/fs/read-file.ts";
import { errnoCode } from "../../src/protocol/errno.ts";
import type { ConfigProblem, PackProblem } from "../../src/protocol/problem.ts";
import { fail, isProblemError, ok, ProblemError, type Result, unwrap } from "../../src/protocol/result.ts";
import { CONTROL_CHARACTERS, compareByBytes, decodeUtf8 } from "../../src/protocol/text/text.ts";
import { type Pack, type PackFile, type PackSource, sourceText, type WantedPack } from "./pack.ts";

/** A file as its source lists it, before it is read. */
export interface ListedFile {
  /** Relative to the top of the source, with slashes. */
  readonly path: string;
  readonly kind: "file" | "link" | "repository" | "device";
  readonly isExecutable: boolean;
  readonly size: number;
}

export const MOST_FILES = 500;
export const MOST_BYTES = 5 * 1024 * 1024;
const LONGEST_PATH = 200;
const DEEPEST = 8;

/** A project with hooks is a pack; otherwise the folder itself is. */
const ROOTS = [".kodelet/", ""];
const SETTINGS = /^hooks\.(?:json|yaml)$/;
const CASES = /^tests\/(?:[^/]+\.(?:json|ya?ml)|snapshots\/[^/]+\.json)$/;
const TAKEN = [SETTINGS, /^hooks\/./, CASES, /^(?:README\.md|LICENSE(?:\.md|\.txt)?)$/];
/** Files that an author may have meant as part of the pack. */
const EXPECTED = /^(?:hooks|tests)[/.]/;
/** The paths at which these can be: the rest of a repository is not listed. */
export const SEARCHED_PATHS = [
  ".kodelet",
  "hooks",
  "tests",
  "hooks.json",
  "hooks.yaml",
  "hooks.yml",
  "README.md",
  "LICENSE",
  "LICENSE.md",
  "LICENSE.txt",
];
const HOOK = /^hooks\/[^/.][^/]*$/;
/** Files with these names run code when somebody enters the folder: of programs, shells and repositories. */
const isHidden = (path: string): boolean => path.split("/").some((part) => part.startsWith("."));

/** The files of a pack, and the paths of those beside them that it leaves out. */
interface SelectedFiles<F extends ListedFile> {
  readonly selected: readonly { readonly file: F; readonly path: string }[];
  readonly leftOut: readonly string[];
}

/** Selects the files of a pack: hooks with the files beside them, settings and test cases. Checks names, types, number and size. */
export function selectPackFiles<F extends ListedFile>(
  listed: readonly F[],
  source: string,
): Result<SelectedFiles<F>, PackProblem> {
  for (const { path } of listed) {
    const cause = whyEscapes(path);
    // Such an archive is malicious, so none of it is used.
    if (cause !== null) return fail({ code: "PACK_UNSAFE", source, path, cause });
  }
  const hasRoot = (isWanted: (path: string, file: F) => boolean) => (root: string) =>
    listed.some((file) => file.path.startsWith(root) && isWanted(file.path.slice(root.length), file));
  const root = ROOTS.find(hasRoot(mayBeHook)) ?? ROOTS.find(hasRoot((path) => SETTINGS.test(path)));
  if (root === undefined) return fail({ code: "PACK_WITHOUT_HOOKS", source });
  const inRoot = listed
    .filter(({ path }) => path.startsWith(root))
    .map((file) => ({ file, path: file.path.slice(root.length) }))
    .sort((a, b) => compareByBytes(a.path, b.path));
  const isTaken = (path: string): boolean => !isHidden(path) && TAKEN.some((pattern) => pattern.test(path));
  const selected = inRoot.filter(({ path }) => isTaken(path));
  const leftOut = inRoot.flatMap(({ path }) => (EXPECTED.test(path) && !isTaken(path) ? [path] : []));
  const fault = faultIn(selected);
  return fault === null ? ok({ selected, leftOut }) : fail({ code: "PACK_UNSAFE", source, ...fault });
}

export const isPackSettings = ({ path }: Pick<ListedFile, "path">): boolean => SETTINGS.test(path);

export const isPackHook = ({ path, isExecutable }: Pick<ListedFile, "path" | "isExecutable">): boolean =>
  isExecutable && HOOK.test(path);

/** A link to a hook is found like a hook, so that the message is about the link. */
const mayBeHook = (path: string, { kind, isExecutable }: ListedFile): boolean =>
  HOOK.test(path) && (kind === "link" || (kind === "file" && isExecutable));

/** Why a path could lead out of the pack, or null. */
function whyEscapes(path: string): string | null {
  if (path.startsWith("/")) return "its path is absolute";
  return path.split("/").includes("..") ? "its path leads out of the pack" : null;
}

/** True for a path whose names are safe on every disk and terminal. */
export const isPlainPath = (path: string): boolean =>
  whyEscapes(path) === null &&
  path.split("/").every((part) => part !== "" && !part.startsWith(".")) &&
  path.search(CONTROL_CHARACTERS) === -1 &&
  !/[\\\ufffd]/.test(path);

const WRONG_KINDS: Readonly<Record<ListedFile["kind"], string | null>> = {
  file: null,
  link: "it is a link",
  repository: "it is a repository inside the repository (a submodule)",
  device: "it is not a regular file",
};

type SelectedFile = { readonly file: ListedFile; readonly path: string };

function faultIn(files: readonly SelectedFile[]): { readonly path: string; readonly cause: string } | null {
  const seen = new Set<string>();
  let bytes = 0;
  for (const { file, path } of files) {
    // A disk that ignores case, or the form of accents, would store only one of two files.
    const key = path.normalize("NFC").toLowerCase();
    bytes += file.size;
    const cause =
      WRONG_KINDS[file.kind] ??
      (isPlainPath(path) ? null : "its name has unusual characters") ??
      (seen.has(key) ? "another file has the same name, or one that differs only in case" : null) ??
      (path.length > LONGEST_PATH || path.split("/").length > DEEPEST ? "its path is too long" : null) ??
      (bytes > MOST_BYTES ? `the files of a pack may have at most ${MOST_BYTES / 1024 / 1024} MiB together` : null);
    if (cause !== null) return { path, cause };
    seen.add(key);
  }
  const [, second] = files.filter(isPackSettings);
  if (second !== undefined) return { path: second.path, cause: "a pack may have only one settings file" };
  const extra = files[MOST_FILES];
  return extra === undefined ? null : { path: extra.path, cause: `a pack may have at most ${MOST_FILES} files` };
}

const LFS_POINTER = "version https://git-lfs.github.com/spec/";

/** Git LFS stores the content elsewhere and fetches it with a filter, which would run. */
export const isLfsPointer = (bytes: Buffer): boolean => bytes.toString("latin1", 0, 60).startsWith(LFS_POINTER);

type FolderSource = Extract<PackSource, { readonly kind: "folder" }>;

const MOST_ENTRIES = 20_000;
/** The files that may belong to a pack; the rest of a project is not searched. */
const SEARCHED = ["*", ".kodelet/*", "{hooks,tests}/**", ".kodelet/{hooks,tests}/**"];

/** Reads a pack from a folder as it is now. */
export function readFolderPack(wanted: WantedPack & { readonly source: FolderSource }, root: string): Pack {
  const folder = resolve(root, wanted.source.path);
  const source = sourceText(wanted.source);
  try {
    // A missing folder would be an empty list.
    statSync(folder);
    const { selected, leftOut } = unwrap(selectPackFiles(listFiles(folder, SEARCHED), source));
    const files = selected.map(({ file, path }) => readFile(join(folder, file.path), path));
    return { ...wanted, pin: {}, files, leftOut };
  } catch (error) {
    if (isProblemError(error)) throw error;
    throw new ProblemError({ code: "PACK_NOT_FETCHED", source, cause: errnoCode(error) ?? String(error) });
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

/** Lists the files of a folder that match one of the patterns. Throws if a folder cannot be read, or they are too many. */
export function listFiles(folder: string, patterns: readonly string[]): readonly ListedFile[] {
  const found = fastGlob.sync([...patterns], {
    cwd: folder,
    dot: true,
    onlyFiles: false,
    followSymbolicLinks: false,
    stats: true,
  });
  const files = found.filter(({ dirent }) => !dirent.isDirectory());
  if (files.length > MOST_ENTRIES) throw new Error(`it has more than ${MOST_ENTRIES} files`);
  return files.map(({ path, dirent, stats }) => {
    const kind = dirent.isFile() ? "file" : dirent.isSymbolicLink() ? "link" : "device";
    const { size, mode } = kind === "file" && stats !== undefined ? stats : { size: 0, mode: 0 };
    return { path, kind, size, isExecutable: (mode & 0o111) !== 0 };
  });
}

/** The settings file of a pack, or null. */
export const settingsFileOf = ({ files }: Pick<Pack, "files">): PackFile | null => files.find(isPackSettings) ?? null;

/** Parses a pack's settings file, which is not checked yet. */
export function parseSettingsFile({ path, bytes }: PackFile): Result<unknown, ConfigProblem> {
  const text = decodeUtf8(bytes);
  return text === null ? fail({ code: "CONFIG_NOT_PARSED", file: path, cause: "not UTF-8" }) : parseText(text, path);
}

/** Refuses a pack with settings that packs may not have, or without any hook. */
export function checkedPack(pack: Pack): Pack {
  const source = sourceText(pack.source);
  const settings = settingsFileOf(pack);
  const parsed = settings === null ? null : parseSettingsFile(settings);
  const isHookFile = (name: string): boolean => pack.files.some(({ path }) => path === `hooks/${name}`);
  const checked = parsed?.ok ? checkPackSettings(parsed.value, settings?.path ?? "", isHookFile) : parsed;
  if (checked?.ok === false) throw new ProblemError({ code: "PACK_BAD_SETTINGS", source, problem: checked.error });
  const declared = checked?.ok ? checked.value.entries.length + (checked.value.guard_rules ?? []).length : 0;
  if (declared > 0 || pack.files.some(isPackHook)) return pack;
  throw new ProblemError({ code: "PACK_WITHOUT_HOOKS", source });
}
