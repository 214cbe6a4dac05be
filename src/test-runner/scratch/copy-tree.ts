import {
  constants,
  copyFileSync,
  type Dirent,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  symlinkSync,
} from "node:fs";
import { dirname, isAbsolute, join, relative, resolve } from "node:path";
import { isInside, realPathOrSame } from "../../fs/paths.ts";

export interface CopyLimits {
  readonly entries: number;
  readonly bytes: number;
}

interface Tree {
  readonly from: string;
  readonly to: string;
  /** Never copied: what the copy itself lies in. */
  readonly without: string;
}

/** The history of a repository is no file of the project. */
const NEVER = ".git";
/** Many files that few hooks need, so they come last. */
const LAST = "node_modules";

/**
 * Copies the files below a folder, those near its top first. Links that lead into the folder lead into the copy, so nothing that is
 * written in the copy is written in the original. False: the limits were reached, and some files are left out.
 */
export function copyTree(tree: Tree, limits: CopyLimits): boolean {
  const left = { ...limits };
  const waiting: string[] = [tree.from];
  const last: string[] = [];
  for (let folder = waiting.shift(); folder !== undefined; folder = waiting.shift() ?? last.shift()) {
    mkdirSync(placeIn(tree, folder), { recursive: true, mode: 0o700 });
    for (const entry of entriesOf(folder)) {
      const path = join(folder, entry.name);
      if (entry.name === NEVER || isInside(path, tree.without)) continue;
      left.entries -= 1;
      if (left.entries < 0) return false;
      if (entry.isDirectory()) (entry.name === LAST ? last : waiting).push(path);
      else if (entry.isSymbolicLink()) copyLink(tree, path);
      else if (entry.isFile()) left.bytes -= copyFile(tree, path, left.bytes);
      if (left.bytes < 0) return false;
    }
  }
  return true;
}

const placeIn = ({ from, to }: Tree, path: string): string => join(to, relative(from, path));

function entriesOf(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    // What cannot be read here cannot be read by the hook either.
    return [];
  }
}

/** How large it is; one that is larger than `most` is not copied. */
function copyFile(tree: Tree, path: string, most: number): number {
  try {
    const { size } = lstatSync(path);
    if (size <= most) copyFileSync(path, placeIn(tree, path), constants.COPYFILE_FICLONE);
    return size;
  } catch {
    return 0;
  }
}

function copyLink(tree: Tree, path: string): void {
  try {
    const target = readlinkSync(path);
    const whole = resolve(dirname(path), target);
    const [top, real] = [realPathOrSame(tree.from), realPathOrSame(whole)];
    // A link to a folder above would be a way back into the original.
    if (isInside(real, top) && real !== top) return;
    const isOurs = isInside(tree.from, whole) && real === resolve(top, relative(tree.from, whole));
    const inCopy = isInside(top, real) ? join(tree.to, relative(top, real)) : whole;
    symlinkSync(isOurs && !isAbsolute(target) ? target : inCopy, placeIn(tree, path));
  } catch {
    // A link that cannot be made is like one that leads nowhere.
  }
}
