import { dirname, resolve } from "node:path";
import type { Evidence } from "../contract/approval.ts";
import type { Candidate } from "../contract/hook.ts";
import { realOrSame } from "../disk/paths.ts";
import { readRegular } from "../disk/read-regular.ts";
import { entryEvidence } from "./entry-evidence.ts";
import { type FolderFile, filesBelow, isNamedIn, isNote, isQuiet } from "./hooks-folder.ts";
import { hashAgainst } from "./kept-texts.ts";

type Hashes = Readonly<Record<string, string>>;

/** What is known of the files beside a hook. */
export interface Beside {
  /** Hooks that are approved themselves, or in the same breath, with their content: as such they are no helpers. */
  readonly siblings: Hashes;
  /** The approved state, to compare with: a helper of then counts whatever its name is. */
  readonly before: Evidence | null;
  /** Where copies of approved content are kept; null: nowhere. */
  readonly trustFile: string | null;
}

const NOBODY_BESIDE: Beside = { siblings: {}, before: null, trustFile: null };

/** Why there may be no evidence. */
export const NOT_VOUCHED = "too many files lie beside it, or some that cannot be looked at";

/** Looks at a project hook as it lies there now. Null: nobody can vouch for what its folder holds. */
export function evidenceOf(candidate: Candidate, beside: Beside, files: readonly string[]): Evidence | null {
  if (candidate.settings !== undefined) return settingsEvidence(candidate.realPath, candidate.settings);
  const projectDir = candidate.projectDir ?? "/";
  if (candidate.entry !== null) return entryEvidence(candidate.entry, candidate.realPath, projectDir, beside);
  const helpers = helpersOf(candidate, beside);
  if (helpers === null) return null;
  return {
    realPath: candidate.realPath,
    sha256: hashAgainst(candidate.realPath, beside.before?.sha256 ?? null, beside.trustFile),
    mode: candidate.stamp.mode & 0o7777,
    owner: candidate.stamp.owner,
    helpers,
    files: namedFiles(files, projectDir, beside),
  };
}

const settingsEvidence = (realPath: string, text: string): Evidence => ({
  ...{ realPath, sha256: text, mode: 0, owner: 0, helpers: {}, files: {} },
});

/** The files that a hook names itself, by paths from the project's folder or by whole ones. */
export const namedFiles = (names: readonly string[], projectDir: string, beside = NOBODY_BESIDE): Hashes =>
  hashes(
    names.map((name) => ({ name, path: resolve(projectDir, name) })),
    beside,
    "files",
  );

function helpersOf(candidate: Candidate, beside: Beside): Hashes | null {
  const all = filesBelow(dirname(candidate.path));
  if (all === null) return null;
  const others = all.filter((file) => !isNote(file) && !isItself(file, candidate));
  const found = Object.entries(hashes(drawnIn(others, candidate, beside), beside, "helpers"));
  // A hook beside it answers for itself, as long as it is the one that was approved: an edited one may be drawn in too.
  return Object.fromEntries(found.filter(([name, hash]) => own(beside.siblings, name) !== hash));
}

/** Name -> SHA-256; an empty text for a file that cannot be read. */
function hashes(
  files: readonly Pick<FolderFile, "name" | "path">[],
  { before, siblings, trustFile }: Beside,
  of: "helpers" | "files",
): Record<string, string> {
  const expected = (name: string): string | null => own(before?.[of] ?? {}, name) ?? own(siblings, name) ?? null;
  return Object.fromEntries(files.map(({ name, path }) => [name, hashAgainst(path, expected(name), trustFile) ?? ""]));
}

const isItself = ({ path, isLink }: FolderFile, candidate: Candidate): boolean =>
  path === candidate.path || path === candidate.realPath || (isLink && realOrSame(path) === candidate.realPath);

/** The files that this hook, or what it draws in, may draw in. */
function drawnIn(files: readonly FolderFile[], candidate: Candidate, { before, siblings }: Beside): FolderFile[] {
  const isSibling = ({ name }: FolderFile): boolean => Object.hasOwn(siblings, name);
  // A hook is no helper of the hook beside it (SPEC 4), unless that one draws it in by its name.
  const isOpen = (file: FolderFile): boolean =>
    (isQuiet(file) || isSibling(file)) && own(before?.helpers ?? {}, file.name) === undefined;
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
