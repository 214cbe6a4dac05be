import { readdirSync, readFileSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { checkCases } from "../../config/schema/check-case.ts";
import type { HookFolder } from "../../discover/find-candidates.ts";
import { errnoCode } from "../../protocol/errno.ts";
import type { CaseProblem } from "../../protocol/problem.ts";
import { fail, ok, type Result } from "../../protocol/result.ts";
import type { TestCaseFile } from "../../protocol/test-case.ts";
import { compareByBytes } from "../../protocol/text/text.ts";

const BIGGEST_BYTES = 16 * 1024 * 1024;

/** Every file of test cases that belongs to these hooks folders, in the byte order of their names. */
export function readCaseFiles(folders: readonly HookFolder[]): readonly Result<TestCaseFile, CaseProblem>[] {
  const places = new Map(
    folders.filter(mayHaveCases).map(({ path, prefix }) => [join(dirname(path), "tests"), prefix]),
  );
  return [...places].flatMap(([place, prefix]) =>
    filesIn(place).map((name) => {
      const read = readCases(join(place, name));
      // In a pack hooks are named without the name under which it was added.
      return read.ok ? ok({ ...read.value, hook: prefix + read.value.hook }) : read;
    }),
  );
}

/** Test cases are next to `hooks` in `.kodelet` or in a plugin. A folder `tests` elsewhere may belong to another program. */
const mayHaveCases = ({ path, prefix }: HookFolder): boolean => prefix !== "" || basename(dirname(path)) === ".kodelet";

function filesIn(folder: string): readonly string[] {
  try {
    const names = readdirSync(folder).filter((name) => name.endsWith(".json") && !name.startsWith("."));
    return names.sort(compareByBytes);
  } catch {
    return [];
  }
}

function readCases(file: string): Result<TestCaseFile, CaseProblem> {
  try {
    const stats = statSync(file);
    if (!stats.isFile()) return fail({ code: "CASE_NOT_READABLE", file, cause: "it is not a regular file" });
    if (stats.size > BIGGEST_BYTES) return fail({ code: "CASE_NOT_READABLE", file, cause: "larger than 16 MiB" });
    return checkCases(readFileSync(file, "utf8"), file);
  } catch (error) {
    return fail({ code: "CASE_NOT_READABLE", file, cause: errnoCode(error) ?? "unknown" });
  }
}
