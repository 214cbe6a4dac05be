import { statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { HookFolder } from "../../../src/discover/find-candidates.ts";
import { entryNames, isInside } from "../../../src/fs/paths.ts";
import { readTextFile } from "../../../src/fs/read-file.ts";
import type { WriteRoot } from "../../../src/fs/write-check.ts";
import { errnoCode } from "../../../src/protocol/errno.ts";
import type { CaseProblem } from "../../../src/protocol/problem.ts";
import { compareByBytes } from "../../../src/protocol/text/text.ts";
import type { TestSubject } from "../select/test-subject.ts";
import { type CaseFilePlace, type CheckedCases, checkCases } from "./check-case.ts";
import { readSnapshots, snapshotFault } from "./snapshots.ts";
import type { CaseSubject, TestCase } from "./test-case.ts";

const BIGGEST_BYTES = 16 * 1024 * 1024;

/**
 * Reads every test case of these hooks folders, file by file in the byte order of their names. `updatedBy`: the user
 * for whom `--update` replaces the snapshots.
 */
export function readCaseFiles(folders: readonly HookFolder[], updatedBy: number | null = null): CheckedCases {
  const places = new Map(folders.filter(mayHaveCases).map((folder) => [join(dirname(folder.path), "tests"), folder]));
  const read = [...places].flatMap(([place, folder]) => {
    const { prefix, source } = folder;
    const updatedIn = updatedBy === null ? null : writeRootOf(folder, updatedBy);
    const origin = { isFromOthers: source !== "user", isFromPack: source === "user-plugin" };
    const names = entryNames(place).filter((name) => CASE_FILE.test(name));
    return names.toSorted(compareByBytes).map((name) => {
      const { cases, faults } = withSnapshots(readCases({ file: join(place, name), ...origin }), updatedIn);
      return { cases: cases.map((one) => ({ ...one, subject: prefixed(one.subject, prefix) })), faults };
    });
  });
  return { cases: read.flatMap(({ cases }) => cases), faults: read.flatMap(({ faults }) => faults) };
}

/** The folder in which snapshots may be written: the project, or the folder of a pack or of a named path itself. */
function writeRootOf({ path, source, projectDir }: HookFolder, userId: number): WriteRoot {
  if (source === "user") return { kind: "user", userId };
  const isOfProject = projectDir !== null && isInside(projectDir, path);
  return { kind: "project", folder: isOfProject ? projectDir : dirname(path) };
}

/** Adds the stored snapshots. Their file is read only if a case has no other expectation. */
function withSnapshots({ cases, faults }: CheckedCases, updatedIn: WriteRoot | null): CheckedCases {
  const file = cases.find(({ expected }) => expected === null)?.file;
  if (file === undefined) return { cases, faults };
  const read = readSnapshots(file);
  const fault = read.ok ? updatedIn && snapshotFault(file, updatedIn) : read.error;
  if (fault !== null) return { cases: cases.filter(({ expected }) => expected !== null), faults: [...faults, fault] };
  const storedFor = ({ name }: TestCase) => (read.ok ? (read.value.get(name) ?? null) : null);
  return { cases: cases.map((one) => ({ ...one, snapshot: { stored: storedFor(one), updatedIn } })), faults };
}

/** In a pack's own cases, hooks are named without the prefix of the pack. */
const prefixed = (subject: CaseSubject, prefix: string): CaseSubject =>
  subject.kind === "hook" || subject.kind === "rule" ? { ...subject, name: prefix + subject.name } : subject;

/** The cases of one hook by its name, of one built-in guard, or of the chain. */
export const casesFor = (
  cases: readonly TestCase[],
  { kind, name }: Pick<TestSubject, "kind" | "name">,
): readonly TestCase[] =>
  cases.filter(({ subject }) => {
    if (subject.kind === "chain" || kind === "chain") return subject.kind === kind;
    return subject.name === name && (subject.kind === "guard") === (kind === "guard");
  });

/** Test cases are next to `hooks` in `.kodelet` or in a plugin. A folder `tests` elsewhere may belong to another program. */
const mayHaveCases = ({ path, prefix }: HookFolder): boolean => prefix !== "" || basename(dirname(path)) === ".kodelet";

const CASE_FILE = /^[^.].*\.(?:json|ya?ml)$/;

function readCases(place: CaseFilePlace): CheckedCases {
  const { file } = place;
  try {
    const stats = statSync(file);
    if (!stats.isFile()) return unreadable(file, "it is not a regular file");
    if (stats.size > BIGGEST_BYTES) return unreadable(file, "larger than 16 MiB");
    return checkCases(readTextFile(file), place);
  } catch (error) {
    return unreadable(file, errnoCode(error) ?? "unknown");
  }
}

function unreadable(file: string, cause: string): CheckedCases {
  const fault: CaseProblem = { code: "CASE_NOT_READABLE", file, line: null, cause };
  return { cases: [], faults: [fault] };
}
