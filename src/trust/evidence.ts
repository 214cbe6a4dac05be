import { dirname, join } from "node:path";
import type { Evidence } from "../contract/approval.ts";
import type { Candidate } from "../contract/hook.ts";
import { contentHash } from "../process/content-hash.ts";
import { realOrSame } from "../process/paths.ts";
import { readRegular } from "../process/read-regular.ts";
import { type FolderFile, filesBelow, isNamedIn, isNote, isQuiet } from "./hooks-folder.ts";

type Hashes = Readonly<Record<string, string>>;

/** What is known of the files beside a hook. */
export interface Beside {
  /** Hooks that are approved themselves, or in the same breath, with their content: as such they are no helpers. */
  readonly siblings: Hashes;
  /** What the hook was said to need when it was approved: such a file counts whatever its name is. */
  readonly known: Hashes;
}

/** Why there may be no evidence. */
export const NOT_VOUCHED = "too many files lie beside it, or some that cannot be looked at";

/** Looks at a project hook as it lies there now. Null: nobody can vouch for what its folder holds. */
export function evidenceOf(
  candidate: Candidate,
  projectDir: string,
  beside: Beside,
  files: readonly string[],
): Evidence | null {
  const helpers = helpersOf(candidate, beside);
  if (helpers === null) return null;
  return {
    realPath: candidate.realPath,
    sha256: contentHash(candidate.realPath),
    mode: candidate.stamp.mode & 0o7777,
    owner: candidate.stamp.owner,
    helpers,
    files: Object.fromEntries(files.map((name) => [name, contentHash(join(projectDir, name)) ?? ""])),
  };
}

function helpersOf(candidate: Candidate, beside: Beside): Hashes | null {
  const all = filesBelow(dirname(candidate.path));
  if (all === null) return null;
  const others = all.filter((file) => !isNote(file) && !isItself(file, candidate));
  const hashes = drawnIn(others, candidate, beside).map(({ name, path }) => [name, contentHash(path) ?? ""] as const);
  // A hook beside it answers for itself, as long as it is the one that was approved: an edited one may be drawn in too.
  return Object.fromEntries(hashes.filter(([name, hash]) => own(beside.siblings, name) !== hash));
}

const isItself = ({ path, isLink }: FolderFile, candidate: Candidate): boolean =>
  path === candidate.path || path === candidate.realPath || (isLink && realOrSame(path) === candidate.realPath);

/** The files that this hook, or what it draws in, may draw in. */
function drawnIn(files: readonly FolderFile[], candidate: Candidate, { known, siblings }: Beside): FolderFile[] {
  const isOpen = (file: FolderFile): boolean => isQuiet(file) && !Object.hasOwn(known, file.name);
  const drawn = files.filter((file) => !isOpen(file));
  let open = files.filter(isOpen);
  const textsOf = (some: readonly FolderFile[]): readonly string[] =>
    some.filter(({ name }) => !Object.hasOwn(siblings, name)).map(({ path }) => textOf(path));
  let texts: readonly string[] = open.length === 0 ? [] : [textOf(candidate.realPath), ...textsOf(drawn)];
  while (open.length > 0) {
    const named = open.filter(({ name }) => texts.some((text) => isNamedIn(text, name)));
    if (named.length === 0) break;
    drawn.push(...named);
    open = open.filter((file) => !named.includes(file));
    texts = textsOf(named);
  }
  return drawn;
}

function textOf(path: string): string {
  try {
    return readRegular(path, "latin1");
  } catch {
    return "";
  }
}

/** What differs from the approved state, in words; nothing when it is the very same. */
export function changesSince(approved: Evidence, now: Evidence, siblings: Hashes = {}): readonly string[] {
  return [
    ...(approved.realPath === now.realPath ? [] : ["it leads elsewhere"]),
    ...(approved.sha256 !== null && approved.sha256 === now.sha256 ? [] : ["its content"]),
    ...(approved.mode === now.mode ? [] : [`its mode (${approved.mode.toString(8)} → ${now.mode.toString(8)})`]),
    ...(approved.owner === now.owner ? [] : ["its owner"]),
    ...differingFiles(approved.helpers, now.helpers).map((name) =>
      Object.hasOwn(siblings, name.text) ? `the hook ${name.text} beside it` : `the helper ${name.text}${name.how}`,
    ),
    ...differingFiles(approved.files, now.files).map(({ text, how }) => `the file ${text}${how}`),
  ];
}

function differingFiles(before: Hashes, now: Hashes): readonly { readonly text: string; readonly how: string }[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(now)])].sort();
  return names.flatMap((name) => {
    const [was, is] = [own(before, name), own(now, name)];
    if (was === is && is !== "") return [];
    return [{ text: name, how: was === undefined ? " (new)" : is === undefined || is === "" ? " (gone)" : "" }];
  });
}

const own = (record: Hashes, name: string): string | undefined =>
  Object.hasOwn(record, name) ? record[name] : undefined;
