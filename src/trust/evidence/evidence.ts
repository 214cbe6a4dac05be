import { dirname, isAbsolute, relative, resolve } from "node:path";
import { createFolderNames, entryFolder, type FolderNames } from "../../fs/paths.ts";
import { createFileReader } from "../../fs/read-file.ts";
import type { Approval, Evidence } from "../../protocol/approval.ts";
import { entryCommand, entryServer, type LocatedEntry } from "../../protocol/entry.ts";
import type { Candidate } from "../../protocol/hook.ts";
import { ownValue } from "../../protocol/own-value.ts";
import { approvalFileName, findCommandFiles } from "../hook-files/command-files.ts";
import { encodeFileList, fileListOf, isFileList, MISSING_FILE } from "../hook-files/file-patterns.ts";
import type { DeclaredCommand, HookProgram } from "../hook-files/hook-program.ts";
import { findLoadedFiles } from "../hook-files/loaded-files.ts";
import type { SupportsSafePath } from "../hook-files/python-search.ts";
import { type HashContext, hashUsingSnapshot } from "../store/approved-snapshots.ts";
import { canonicalEntry } from "./canonical-entry.ts";

type Hashes = Readonly<Record<string, string>>;

/** What the evidence is compared with, and how it is computed. */
export interface EvidenceContext extends HashContext {
  /** The approved state, whose files are covered even if they were deleted; null if there is none. */
  readonly before: (Evidence & Pick<Approval, "siblings">) | null;
  readonly supportsSafePath: SupportsSafePath;
  readonly namesIn: FolderNames;
}

/**
 * For evidence that is compared with no approval. Assumes a Python without PYTHONSAFEPATH, because the hook may later be
 * started by another version, or on another machine.
 */
export const withoutApproval = (read = createFileReader(), namesIn = createFolderNames()): EvidenceContext => ({
  before: null,
  trustFile: null,
  read,
  namesIn,
  supportsSafePath: () => false,
});

/** Why evidence may be incomplete. */
export const EVIDENCE_INCOMPLETE = "it can load too many files, or some cannot be read";

/** What the comparison of a hook with its approval depends on. */
export type CompareContext = Pick<EvidenceContext, "trustFile" | "supportsSafePath" | "namesIn">;

/** What differs between the approved state and the current one. */
export interface Comparison {
  readonly changes: readonly string[];
  /** Null if the evidence is incomplete. */
  readonly now: Evidence | null;
}

export type CompareWithApproval = (candidate: Candidate, approval: Approval, context: CompareContext) => Comparison;

export const compareWithApproval: CompareWithApproval = (candidate, approval, compareContext) => {
  const context = { ...compareContext, before: approval, read: createFileReader() };
  const now = computeEvidence(candidate, context, Object.keys(approval.files));
  return { changes: now === null ? [EVIDENCE_INCOMPLETE] : compareEvidence(approval, now), now };
};

/** Computes the current evidence of a hook; null if not all files that it can load are known. */
export function computeEvidence(
  candidate: Candidate,
  context: EvidenceContext,
  files: readonly string[],
): Evidence | null {
  const { realPath, settings } = candidate;
  if (settings !== undefined) return { realPath, sha256: settings, mode: 0, owner: 0, helpers: {}, files: {} };
  const projectDir = approvalFolder(candidate);
  if (candidate.entry !== null) return declaredEvidence(candidate, candidate.entry, context);
  const helpers = hashHelpers({ ...candidate, declared: null }, context);
  if (helpers === null) return null;
  const { before } = context;
  return {
    realPath: candidate.realPath,
    sha256: hashUsingSnapshot(candidate.realPath, before?.sha256 ?? null, context),
    mode: candidate.stamp.mode & 0o7777,
    owner: candidate.stamp.owner,
    helpers,
    files: hashFiles(pathsOf(files, projectDir), before?.files ?? {}, context),
  };
}

/** The program of a declared hook loads files like an executable, so the same search finds them. */
function declaredEvidence(candidate: Candidate, entry: LocatedEntry, context: EvidenceContext): Evidence | null {
  const projectDir = approvalFolder(candidate);
  const own = entryEvidence(entry, candidate.realPath, projectDir, context);
  const start = declaredCommand(entry, projectDir, own.files);
  if (start === null) return own;
  // PYTHONSAFEPATH is set for project hooks only.
  const supportsSafePath = entry.scope === "project" ? context.supportsSafePath : () => false;
  const helpers = hashHelpers({ ...candidate, declared: start }, { ...context, supportsSafePath });
  return helpers === null ? null : { ...own, helpers };
}

/** The folder to which the file names of an approval are relative: the project's, or that of the user's settings file. */
export const approvalFolder = ({ projectDir, entry }: Pick<Candidate, "projectDir" | "entry">): string =>
  projectDir ?? (entry === null ? "/" : dirname(entry.file));

/** Hashes the files that a hook lists in `files`, relative to the project or absolute. */
export const hashNamedFiles = (names: readonly string[], projectDir: string, read = createFileReader()): Hashes =>
  hashFiles(pathsOf(names, projectDir), {}, { read, trustFile: null });

const pathsOf = (names: readonly string[], folder: string): readonly Named[] =>
  names.map((name) => ({ name, path: resolve(folder, name) }));

/** Hashes the files that a hook can load, relative to its folder. */
function hashHelpers(candidate: HookProgram, context: EvidenceContext): Hashes | null {
  const { before } = context;
  const folder = dirname(candidate.path);
  const known = Object.entries(before?.helpers ?? {}).filter(([, kept]) => !isFileList(kept));
  const loaded = findLoadedFiles(
    candidate,
    known.map(([name]) => resolve(folder, name)),
    context,
  );
  if (loaded === null) return null;
  const named = loaded.files.map((path) => ({ name: relative(folder, path), path }));
  const types = [...loaded.types].map(
    ([path, type]) => [`${relative(folder, path)} "type"`, encodeFileList([type])] as const,
  );
  const found = {
    ...hashFiles(named, { ...before?.siblings, ...before?.helpers }, context),
    ...Object.fromEntries(types),
  };
  const { siblings } = before ?? {};
  if (siblings === undefined) return found;
  // An early approval covered every file in the hooks folder except Markdown and other hooks, and no file elsewhere.
  const isNew = (name: string): boolean => name.startsWith("../../") || name.endsWith(".md");
  return Object.fromEntries(
    Object.entries(found).filter(([name, hash]) => {
      const isKnown = ownValue(before?.helpers ?? {}, name) !== undefined;
      return isKnown || !(isNew(name) || ownValue(siblings, name) === hash);
    }),
  );
}

interface Named {
  readonly name: string;
  readonly path: string;
}

/** Name -> SHA-256; an empty string for a file that cannot be read. */
const hashFiles = (files: readonly Named[], expected: Hashes, context: HashContext): Hashes =>
  Object.fromEntries(
    files.map(({ name, path }) => [name, hashUsingSnapshot(path, ownValue(expected, name) ?? null, context) ?? ""]),
  );

/** Describes what differs from the approved state; empty if nothing does. */
export function compareEvidence(approved: Evidence, now: Evidence): readonly string[] {
  // A file that the hook no longer loads is not compared. A deleted file that it still names is.
  const before = kept(
    approved.helpers,
    (name) => Object.hasOwn(now.helpers, name) || isFileList(approved.helpers[name] ?? ""),
  );
  return [
    ...(approved.realPath === now.realPath ? [] : ["its link target"]),
    ...(approved.sha256 !== null && approved.sha256 === now.sha256 ? [] : ["its content"]),
    ...(decisiveBits(approved) === decisiveBits(now)
      ? []
      : [`its mode (${approved.mode.toString(8)} → ${now.mode.toString(8)})`]),
    ...(approved.owner === now.owner ? [] : ["its owner"]),
    ...differingFiles(before, now.helpers).map(({ text, how }) => `the helper ${text}${how}`),
    ...differingFiles(approved.files, now.files).map(({ text, how }) => `the file ${text}${how}`),
  ];
}

/**
 * The bits that change what a hook can do. The others follow the umask, with which git writes a file at each checkout;
 * who may write to it is checked before each start.
 */
const decisiveBits = ({ mode }: Evidence): number => (mode & SET_ID_AND_STICKY) | ((mode & MAY_EXECUTE) === 0 ? 0 : 1);
const SET_ID_AND_STICKY = 0o7000;
const MAY_EXECUTE = 0o111;

const kept = (all: Hashes, isKept: (name: string) => boolean): Hashes =>
  Object.fromEntries(Object.entries(all).filter(([name]) => isKept(name)));

function differingFiles(before: Hashes, now: Hashes): readonly { readonly text: string; readonly how: string }[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(now)])].sort();
  return names.flatMap((name) => {
    const [was, is] = [ownValue(before, name), ownValue(now, name)];
    if (was === is && is !== "") return [];
    return [{ text: name, how: was === undefined ? " (new)" : is === undefined || is === "" ? " (gone)" : "" }];
  });
}

/**
 * The evidence for a declared hook: the entry itself, and every file of the project that its command starts or that is
 * listed in its `files`. With the approved state in `before` the shell parser is not loaded: the same entry names the
 * same files.
 */
export function entryEvidence(
  entry: LocatedEntry,
  realPath: string,
  projectDir: string,
  { before, ...context }: HashContext & { readonly before: Evidence | null },
): Evidence {
  const own = entry.files.map((file) => approvalFileName(projectDir, resolve(projectDir, file), isAbsolute(file)));
  const named =
    before === null ? commandStates(entry, projectDir, context) : currentStates(before, projectDir, context);
  const listed = own.map((name): [string, string] => {
    return [
      name,
      hashUsingSnapshot(resolve(projectDir, name), ownValue(before?.files ?? {}, name) ?? null, context) ?? "",
    ];
  });
  const files = { ...named, ...Object.fromEntries(listed) };
  // The entry's text and not its hash: it is short, and loading a hash function takes 3 ms of each call.
  return { realPath, sha256: canonicalEntry(entry), mode: 0, owner: 0, helpers: {}, files };
}

/**
 * The command of a declared hook, as the start of the search for the files that it loads. `files` are those of its
 * evidence, so that the command is not parsed again. Null if the entry starts no program.
 */
export function declaredCommand(entry: LocatedEntry, projectDir: string, files: States): DeclaredCommand | null {
  const server = entryServer(entry);
  const command = server === null ? entryCommand(entry) : [server.command, ...server.args];
  if (command === null) return null;
  const named = Object.keys(files).filter((name) => !isFileList(files[name] ?? ""));
  return {
    command: typeof command === "string" ? command : command.join(" "),
    folder: entryFolder(entry),
    project: projectDir,
    files: named.map((name) => resolve(projectDir, name)),
  };
}

type States = Readonly<Record<string, string>>;

/** The current state of the files that the command of an entry starts or names. */
function commandStates(entry: LocatedEntry, projectDir: string, context: HashContext): States {
  const { files, patterns } = findCommandFiles(entry, projectDir, context.read);
  const hashes = files.map(
    (name) => [name, hashUsingSnapshot(resolve(projectDir, name), null, context) ?? MISSING_FILE] as const,
  );
  return Object.fromEntries([...hashes, ...patterns.map((name) => [name, fileListOf(name, projectDir)] as const)]);
}

/** The current state of the approved files. */
function currentStates({ files }: Evidence, projectDir: string, context: HashContext): States {
  const now = Object.entries(files).map(([name, before]): [string, string] => {
    if (isFileList(before)) return [name, fileListOf(name, projectDir)];
    const expected = before === MISSING_FILE ? null : before;
    return [
      name,
      hashUsingSnapshot(resolve(projectDir, name), expected, context) ?? (before === MISSING_FILE ? MISSING_FILE : ""),
    ];
  });
  return Object.fromEntries(now);
}
