import { join, relative } from "node:path";
import { entryNames, isRegularFile } from "../../fs/file-kind.ts";

/** What an approval keeps of a pattern in place of a hash: the files that it means. */
const FILE_LIST_PREFIX = "list:";
/** The same of a file that is not there: one that is put there later is a change. */
export const ABSENT = "absent";
const MOST_FILES = 2000;

export const isFileList = (kept: string): boolean => kept.startsWith(FILE_LIST_PREFIX);

/** The names in it, one a line. */
export function namesInFileList(kept: string): string {
  const names: unknown = JSON.parse(kept.slice(FILE_LIST_PREFIX.length));
  return Array.isArray(names) ? names.map((name) => `${name}\n`).join("") : "";
}

/** The files that a pattern of a shell means now, in order; a pattern without a `/` in front begins in the folder. */
export function filesMatching(pattern: string, folder: string): readonly string[] {
  const isWhole = pattern.startsWith("/");
  const segments = pattern.split("/").filter((segment) => segment !== "");
  const paths = segments.reduce<readonly string[]>(
    (folders, segment) => folders.flatMap((one) => matching(one, segment)).slice(0, MOST_FILES),
    [isWhole ? "/" : folder],
  );
  return paths.filter(isRegularFile).sort();
}

/** The same as an approval keeps it. Names, not a hash: to load a hash function takes 3 ms of each call. */
export const fileListOf = (pattern: string, folder: string): string =>
  encodeFileList(filesMatching(pattern, folder).map((path) => relative(folder, path)));

export const encodeFileList = (names: readonly string[]): string => FILE_LIST_PREFIX + JSON.stringify(names);

function matching(folder: string, segment: string): readonly string[] {
  if (!/[*?[]/.test(segment.replace(/\\./g, ""))) return [join(folder, segment.replace(/\\(.)/g, "$1"))];
  const fits = patternOf(segment);
  // A shell finds hidden files only by a dot that is written.
  return entryNames(folder)
    .filter((name) => fits.test(name) && (segment.startsWith(".") || !name.startsWith(".")))
    .map((name) => join(folder, name));
}

/** Each part of the pattern is one part of the expression; what looks like a set and is none means itself. */
function patternOf(segment: string): RegExp {
  const source = segment.replace(/\\.|\[[!^]?\]?[^\]]*\]|[\s\S]/g, (part) => {
    if (part === "*") return "[^]*";
    if (part === "?") return "[^]";
    if (part.length > 2 && part.startsWith("[")) return setOf(part);
    return (part.length === 2 && part.startsWith("\\") ? part.slice(1) : part).replace(/[\\^$.*+?()[\]{}|]/, "\\$&");
  });
  return new RegExp(`^${source}$`);
}

/** A set of characters; one with a class such as `[:alpha:]` in it may mean any character. */
function setOf(part: string): string {
  if (part.includes("[:")) return "[^]";
  const isNot = /^\[[!^]/.test(part);
  const inside = part.slice(isNot ? 2 : 1, -1).replace(/[\\\]^[]/g, "\\$&");
  try {
    return new RegExp(`[${isNot ? "^" : ""}${inside}]`).source;
  } catch {
    return "[^]";
  }
}
