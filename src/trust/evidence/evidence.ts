import { dirname, relative, resolve } from "node:path";
import type { Approval, Evidence } from "../../protocol/approval.ts";
import type { LocatedEntry } from "../../protocol/entry.ts";
import type { Candidate } from "../../protocol/hook.ts";
import { encodeFileList, isFileList } from "../hook-files/file-patterns.ts";
import type { HookProgram } from "../hook-files/hook-program.ts";
import { findLoadedFiles, type SupportsSafePath } from "../hook-files/loaded-files.ts";
import { hashUsingSnapshot } from "../store/approved-snapshots.ts";
import { declaredCommand, entryEvidence } from "./entry-evidence.ts";

type Hashes = Readonly<Record<string, string>>;

/** What the state of a hook is compared with, and how it is looked at. */
export interface EvidenceContext {
  /** The approved state: files of then count also when they are gone. Null: there is none. */
  readonly before: (Evidence & Pick<Approval, "siblings">) | null;
  /** Where copies of approved content are kept; null: nowhere. */
  readonly trustFile: string | null;
  readonly supportsSafePath: SupportsSafePath;
}

/** Why there may be no evidence. */
export const EVIDENCE_INCOMPLETE = "it can load too many files, or some cannot be read";

/** Looks at a project hook as it lies there now. Null: nobody can vouch for the files that it can load. */
export function computeEvidence(
  candidate: Candidate,
  context: EvidenceContext,
  files: readonly string[],
): Evidence | null {
  if (candidate.settings !== undefined) return settingsEvidence(candidate.realPath, candidate.settings);
  const projectDir = approvalFolder(candidate);
  if (candidate.entry !== null) return declaredEvidence(candidate, candidate.entry, context);
  const helpers = hashHelpers({ ...candidate, declared: null }, context);
  if (helpers === null) return null;
  const { before, trustFile } = context;
  return {
    realPath: candidate.realPath,
    sha256: hashUsingSnapshot(candidate.realPath, before?.sha256 ?? null, trustFile),
    mode: candidate.stamp.mode & 0o7777,
    owner: candidate.stamp.owner,
    helpers,
    files: hashFiles(pathsOf(files, projectDir), before?.files ?? {}, trustFile),
  };
}

/** What the programs of a declared hook load is what an executable would load: one search finds both. */
function declaredEvidence(candidate: Candidate, entry: LocatedEntry, context: EvidenceContext): Evidence | null {
  const projectDir = approvalFolder(candidate);
  const own = entryEvidence(entry, candidate.realPath, projectDir, context);
  const start = declaredCommand(entry, projectDir, own.files);
  if (start === null) return own;
  // The variables that keep Python from looking beside a script are set for a project's hooks alone.
  const supportsSafePath = entry.scope === "project" ? context.supportsSafePath : () => false;
  const helpers = hashHelpers({ ...candidate, declared: start }, { ...context, supportsSafePath });
  return helpers === null ? null : { ...own, helpers };
}

/** The folder that the files of an approval belong to: the project's, or that of the user's own settings file. */
export const approvalFolder = ({ projectDir, entry }: Pick<Candidate, "projectDir" | "entry">): string =>
  projectDir ?? (entry === null ? "/" : dirname(entry.file));

const settingsEvidence = (realPath: string, text: string): Evidence => ({
  ...{ realPath, sha256: text, mode: 0, owner: 0, helpers: {}, files: {} },
});

/** The files that a hook names in `files`, by paths from the project's folder or by whole ones. */
export const hashNamedFiles = (names: readonly string[], projectDir: string): Hashes =>
  hashFiles(pathsOf(names, projectDir), {}, null);

const pathsOf = (names: readonly string[], folder: string): readonly Named[] =>
  names.map((name) => ({ name, path: resolve(folder, name) }));

/** The files that a hook can load, by paths from its folder. */
function hashHelpers(candidate: HookProgram, { before, trustFile, supportsSafePath }: EvidenceContext): Hashes | null {
  const folder = dirname(candidate.path);
  const known = Object.entries(before?.helpers ?? {}).filter(([, kept]) => !isFileList(kept));
  const loaded = findLoadedFiles(
    candidate,
    known.map(([name]) => resolve(folder, name)),
    supportsSafePath,
  );
  if (loaded === null) return null;
  const named = loaded.files.map((path) => ({ name: relative(folder, path), path }));
  const types = [...loaded.types].map(
    ([path, type]) => [`${relative(folder, path)} "type"`, encodeFileList([type])] as const,
  );
  const found = {
    ...hashFiles(named, { ...before?.siblings, ...before?.helpers }, trustFile),
    ...Object.fromEntries(types),
  };
  const { siblings } = before ?? {};
  if (siblings === undefined) return found;
  // An early approval was bound to everything beside the hook but notes and the hooks there, and to nothing elsewhere.
  const isNew = (name: string): boolean => name.startsWith("../../") || name.endsWith(".md");
  return Object.fromEntries(
    Object.entries(found).filter(([name, hash]) => {
      const isKnown = own(before?.helpers ?? {}, name) !== undefined;
      return isKnown || !(isNew(name) || own(siblings, name) === hash);
    }),
  );
}

interface Named {
  readonly name: string;
  readonly path: string;
}

/** Name -> SHA-256; an empty text for a file that cannot be read. */
const hashFiles = (files: readonly Named[], expected: Hashes, trustFile: string | null): Hashes =>
  Object.fromEntries(
    files.map(({ name, path }) => [name, hashUsingSnapshot(path, own(expected, name) ?? null, trustFile) ?? ""]),
  );

/** What differs from the approved state, in words; nothing when it is the very same. */
export function compareEvidence(approved: Evidence, now: Evidence): readonly string[] {
  // A file that the hook does not name and cannot load any more is no part of it: one that is gone is still named.
  const before = kept(
    approved.helpers,
    (name) => Object.hasOwn(now.helpers, name) || isFileList(approved.helpers[name] ?? ""),
  );
  return [
    ...(approved.realPath === now.realPath ? [] : ["its link target"]),
    ...(approved.sha256 !== null && approved.sha256 === now.sha256 ? [] : ["its content"]),
    ...(approved.mode === now.mode ? [] : [`its mode (${approved.mode.toString(8)} → ${now.mode.toString(8)})`]),
    ...(approved.owner === now.owner ? [] : ["its owner"]),
    ...differingFiles(before, now.helpers).map(({ text, how }) => `the helper ${text}${how}`),
    ...differingFiles(approved.files, now.files).map(({ text, how }) => `the file ${text}${how}`),
  ];
}

const kept = (all: Hashes, isKept: (name: string) => boolean): Hashes =>
  Object.fromEntries(Object.entries(all).filter(([name]) => isKept(name)));

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
