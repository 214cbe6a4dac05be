import { readdirSync, readFileSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { HookFolder } from "../../discover/find-candidates.ts";
import { errnoCode } from "../../protocol/errno.ts";
import type { CaseProblem } from "../../protocol/problem.ts";
import { compareByBytes } from "../../protocol/text/text.ts";
import { type CheckedCases, checkCases } from "./check-case.ts";
import type { TestCase } from "./test-case.ts";

const BIGGEST_BYTES = 16 * 1024 * 1024;

/** Every test case that belongs to these hooks folders, file by file in the byte order of their names. */
export function readCaseFiles(folders: readonly HookFolder[]): CheckedCases {
  const places = new Map(
    folders.filter(mayHaveCases).map(({ path, prefix }) => [join(dirname(path), "tests"), prefix]),
  );
  const read = [...places].flatMap(([place, prefix]) =>
    filesIn(place).map((name) => withPrefix(readCases(join(place, name)), prefix)),
  );
  return { cases: read.flatMap(({ cases }) => cases), faults: read.flatMap(({ faults }) => faults) };
}

/** In a pack hooks are named without the name under which it was added. */
const withPrefix = ({ cases, faults }: CheckedCases, prefix: string): CheckedCases => ({
  cases: cases.map((one) => ({ ...one, subject: { ...one.subject, name: prefix + one.subject.name } })),
  faults,
});

/** The cases of one hook. */
export const casesFor = (cases: readonly TestCase[], hook: string): readonly TestCase[] =>
  cases.filter(({ subject }) => subject.name === hook);

/** Test cases are next to `hooks` in `.kodelet` or in a plugin. A folder `tests` elsewhere may belong to another program. */
const mayHaveCases = ({ path, prefix }: HookFolder): boolean => prefix !== "" || basename(dirname(path)) === ".kodelet";

const CASE_FILE = /^[^.].*\.(?:json|ya?ml)$/;

function filesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
      .filter((name) => CASE_FILE.test(name))
      .sort(compareByBytes);
  } catch {
    return [];
  }
}

function readCases(file: string): CheckedCases {
  try {
    const stats = statSync(file);
    if (!stats.isFile()) return unreadable(file, "it is not a regular file");
    if (stats.size > BIGGEST_BYTES) return unreadable(file, "larger than 16 MiB");
    return checkCases(readFileSync(file, "utf8"), file);
  } catch (error) {
    return unreadable(file, errnoCode(error) ?? "unknown");
  }
}

function unreadable(file: string, cause: string): CheckedCases {
  const fault: CaseProblem = { code: "CASE_NOT_READABLE", file, line: null, cause };
  return { cases: [], faults: [fault] };
}
