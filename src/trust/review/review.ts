import { basename, dirname, join, relative, resolve } from "node:path";
import { createFolderNames, type FolderNames } from "../../fs/paths.ts";
import { createFileReader, type FileReader } from "../../fs/read-file.ts";
import type { Evidence } from "../../protocol/approval.ts";
import { entryProgram } from "../../protocol/entry.ts";
import type { Candidate } from "../../protocol/hook.ts";
import type { HookProblem, HostProblem } from "../../protocol/problem.ts";
import { fail, ok, type Result } from "../../protocol/result.ts";
import { packOfSettings } from "../../protocol/settings-file.ts";
import { shellQuote } from "../../protocol/text/shell-quote.ts";
import { combineUnsafePaths, listUnsafePaths } from "../../protocol/unsafe-path.ts";
import { unsafeProblem } from "../decide/decide-trust.ts";
import { createOwnershipCheck } from "../decide/ownership.ts";
import {
  approvalFolder,
  compareEvidence,
  computeEvidence,
  EVIDENCE_INCOMPLETE,
  hashNamedFiles,
  withoutApproval,
} from "../evidence/evidence.ts";
import { type FolderFile, filesBelow, isMarkdown } from "../hook-files/files-below.ts";

/** The state of a hook, and the files as they were read for it. */
export interface HookSnapshot {
  readonly candidate: Candidate;
  /** What an approval would be bound to; null if its files cannot all be found. */
  readonly evidence: Evidence | null;
  readonly read: FileReader;
}

/** A hook that needs approval, of a project or of the user, and the state in which it is shown. */
export interface ReviewedHook extends HookSnapshot {
  readonly evidence: Evidence;
}

interface ReviewContext {
  readonly scopes: { readonly homeDir: string | null };
  readonly userId: number;
}

/** Takes the snapshot that is shown and that an approval is compared with. */
export function reviewHooks(
  candidates: readonly Candidate[],
  context: ReviewContext,
): Result<readonly ReviewedHook[], HostProblem> {
  const unsafe = unsafeLocationProblem(unsafeLocations(candidates, context));
  if (unsafe !== null) return fail(unsafe);
  const reviewed: ReviewedHook[] = [];
  for (const snapshot of takeSnapshots(candidates)) {
    const { candidate, evidence } = snapshot;
    if (evidence === null) return fail(incompleteEvidenceProblem(candidate));
    const unreadable = unreadableFileProblem({ ...evidence, path: candidate.path }, approvalFolder(candidate));
    if (unreadable !== null) return fail(unreadable);
    reviewed.push({ ...snapshot, evidence });
  }
  return ok(reviewed);
}

function unsafeLocations(candidates: readonly Candidate[], { scopes, userId }: ReviewContext): readonly HookProblem[] {
  const context = { homeDir: scopes.homeDir, checkOwnership: createOwnershipCheck(userId) };
  return candidates.flatMap((candidate) => unsafeProblem(candidate, context) ?? []);
}

export const takeSnapshot = (candidate: Candidate): HookSnapshot =>
  snapshotOf(candidate, createFileReader(), createFolderNames());

/** For all hooks each file is read once, and each folder listed once: otherwise the cost would grow with the square of the number of hooks. */
export function takeSnapshots(candidates: readonly Candidate[]): readonly HookSnapshot[] {
  const read = createFileReader();
  const namesIn = createFolderNames();
  return candidates.map((candidate) => snapshotOf(candidate, read, namesIn));
}

function snapshotOf(candidate: Candidate, read: FileReader, namesIn: FolderNames): HookSnapshot {
  const evidence = computeEvidence(candidate, withoutApproval(read, namesIn), []);
  if (evidence === null) return { candidate, evidence, read };
  const files = { ...evidence.files, ...hashPluginFiles(candidate, evidence.helpers, read) };
  return { candidate, evidence: { ...evidence, files }, read };
}

/** The hooks that are no longer in the state that was shown. */
export function changedHooks(reviewed: readonly ReviewedHook[]): readonly ReviewedHook[] {
  const now = takeSnapshots(reviewed.map(({ candidate }) => candidate));
  return reviewed.filter(({ evidence }, index) => {
    const current = now[index]?.evidence ?? null;
    return current === null || compareEvidence(evidence, current).length > 0;
  });
}

export const hasChanged = (reviewed: ReviewedHook): boolean => changedHooks([reviewed]).length > 0;

type At = Pick<Candidate, "path">;

/** Names every path that must change before the hooks can be approved; null if none must. */
function unsafeLocationProblem(problems: readonly HookProblem[]): HostProblem | null {
  const other = problems.find(({ code }) => code !== "HOOK_REFUSED_UNSAFE");
  if (other?.code === "HOOK_REFUSED_UNREADABLE")
    return unsafePlaceProblem(other.place, other.cause, "Make it readable.");
  if (other !== undefined) {
    return unsafePlaceProblem(other.path, "is a link that leaves the project", "Copy the file into the project.");
  }
  const unsafe = combineUnsafePaths(
    problems.flatMap((problem) => (problem.code === "HOOK_REFUSED_UNSAFE" ? listUnsafePaths(problem) : [])),
  );
  return unsafe === null ? null : { code: "TRUST_UNSAFE_PLACE", ...unsafe, fix: null };
}

export const changedMeanwhileProblem = ({ path }: At): HostProblem =>
  unsafePlaceProblem(path, "changed while it was being read", "Read it again, then run the same command again.");

function incompleteEvidenceProblem({ path }: At): HostProblem {
  const fix = `Remove files that no hook needs: ls -laR ${shellQuote(dirname(path))}`;
  return unsafePlaceProblem(path, `cannot be approved: ${EVIDENCE_INCOMPLETE}`, fix);
}

/** An approval of an unreadable file would never match, so the hook would be blocked as changed. Null if all can be read. */
export function unreadableFileProblem(
  { path, realPath, sha256, helpers, files }: At & Evidence,
  projectDir: string,
): HostProblem | null {
  const [file, helper] = [files, helpers].map((hashes) => Object.keys(hashes).find((name) => hashes[name] === ""));
  if (file !== undefined) {
    const fix = `Create it, or remove it from "files". Expected here: ls -ld ${shellQuote(resolve(projectDir, file))}`;
    return unsafePlaceProblem(path, `names ${file} in "files", but that file cannot be read`, fix);
  }
  if (helper === undefined && sha256 !== null) return null;
  const place = helper === undefined ? realPath : join(dirname(path), helper);
  return unsafePlaceProblem(place, "cannot be read", `Make it readable for your user: ls -ld ${shellQuote(place)}`);
}

const unsafePlaceProblem = (place: string, cause: string, fix: string | null = null): HostProblem => ({
  code: "TRUST_UNSAFE_PLACE",
  place,
  cause,
  fix,
});

type Hashes = Readonly<Record<string, string>>;

/** Approved files are read again at every call, so a plugin with more files is bound only to those that its hooks load. */
const MOST_FILES = 500;

/**
 * The files below the hooks folder of a project's plugin: it was written elsewhere and is approved as a whole, whatever
 * names its hooks build at run time. Not its other hooks, which are approved by themselves, and not what hooks write.
 */
function hashPluginFiles(hook: Candidate, helpers: Hashes, read: FileReader): Hashes {
  const { projectDir } = hook;
  const folder = hooksFolderOf(hook);
  if (folder === null || projectDir === null) return {};
  const files = filesBelow(folder)?.filter((file) => isPart(file) && !Object.hasOwn(helpers, file.name)) ?? [];
  if (files.length > MOST_FILES) return {};
  return hashNamedFiles(
    files.map((file) => relative(projectDir, file.path)),
    projectDir,
    read,
  );
}

/** The hooks folder of the plugin to which the hook belongs; null if it belongs to none or starts no program. */
function hooksFolderOf({ source, path, projectDir, entry }: Candidate): string | null {
  if (source === "project-plugin") return dirname(path);
  if (projectDir === null || entry === null || entryProgram(entry).length === 0) return null;
  return packOfSettings(projectDir, entry.file) === null ? null : join(dirname(entry.file), "hooks");
}

const WRITTEN = /(?:^|\/)(?:node_modules|__pycache__|\.[^/]*)(?:\/|$)|\.(?:log|jsonl|ndjson)$/i;

const isPart = (file: FolderFile): boolean =>
  !isMarkdown(file) && !WRITTEN.test(file.name) && !(file.isExecutable && file.name === basename(file.path));
