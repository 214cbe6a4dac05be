import { join, relative } from "node:path";
import { entryNames, isRegularFile } from "../../fs/paths.ts";

/** Marks the value that an approval holds for a pattern: the matching files instead of a hash. */
const FILE_LIST_PREFIX = "list:";
/** The value for a missing file: creating it later is a change. */
export const MISSING_FILE = "absent";
const MOST_FILES = 2000;

export const isFileList = (kept: string): boolean => kept.startsWith(FILE_LIST_PREFIX);

/** The names in a file list, one a line. */
export function namesInFileList(kept: string): string {
  const names: unknown = JSON.parse(kept.slice(FILE_LIST_PREFIX.length));
  return Array.isArray(names) ? names.map((name) => `${name}\n`).join("") : "";
}

/** The files that match a shell pattern, sorted; a relative pattern starts in `folder`. */
export function filesMatching(pattern: string, folder: string): readonly string[] {
  const isWhole = pattern.startsWith("/");
  const segments = pattern.split("/").filter((segment) => segment !== "");
  const paths = segments.reduce<readonly string[]>(
    (folders, segment) => folders.flatMap((one) => matching(one, segment)).slice(0, MOST_FILES),
    [isWhole ? "/" : folder],
  );
  return paths.filter(isRegularFile).sort();
}

/** The value for an approval. Holds names and not a hash, because loading a hash function takes 3 ms. */
export const fileListOf = (pattern: string, folder: string): string =>
  encodeFileList(filesMatching(pattern, folder).map((path) => relative(folder, path)));

export const encodeFileList = (names: readonly string[]): string => FILE_LIST_PREFIX + JSON.stringify(names);

function matching(folder: string, segment: string): readonly string[] {
  if (!/[*?[]/.test(segment.replace(/\\./g, ""))) return [join(folder, segment.replace(/\\(.)/g, "$1"))];
  const fits = patternOf(segment);
  // A shell matches hidden files only if the pattern starts with a dot.
  return entryNames(folder)
    .filter((name) => fits.test(name) && (segment.startsWith(".") || !name.startsWith(".")))
    .map((name) => join(folder, name));
}

/** Translates a shell pattern to a regular expression; an invalid set matches its own characters. */
function patternOf(segment: string): RegExp {
  const source = segment.replace(/\\.|\[[!^]?\]?[^\]]*\]|[\s\S]/g, (part) => {
    if (part === "*") return "[^]*";
    if (part === "?") return "[^]";
    if (part.length > 2 && part.startsWith("[")) return setOf(part);
    return (part.length === 2 && part.startsWith("\\") ? part.slice(1) : part).replace(/[\\^$.*+?()[\]{}|]/, "\\$&");
  });
  return new RegExp(`^${source}$`);
}

/** Translates a set of characters; a set with a class such as `[:alpha:]` matches any character. */
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
