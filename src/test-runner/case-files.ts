import { readdirSync, readFileSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { checkCases } from "../config/schema/check-case.ts";
import type { HookFolder } from "../discover/find-candidates.ts";
import { errnoCode } from "../protocol/errno.ts";
import type { CaseProblem } from "../protocol/problem.ts";
import { fail, type Result } from "../protocol/result.ts";
import type { TestCaseFile } from "../protocol/test-case.ts";
import { compareByBytes } from "../protocol/text/text.ts";

const BIGGEST_BYTES = 16 * 1024 * 1024;

/** Every file of test cases that belongs to these hooks folders, in the byte order of their names. */
export function readCaseFiles(folders: readonly HookFolder[]): readonly Result<TestCaseFile, CaseProblem>[] {
  const places = new Set(folders.flatMap(({ path }) => placeFor(path)));
  return [...places].flatMap((place) => filesIn(place).map((name) => readCases(join(place, name))));
}

/** Test cases are in `.kodelet/tests`, next to `.kodelet/hooks`. A folder `tests` elsewhere may belong to another program. */
function placeFor(hooksFolder: string): readonly string[] {
  const parent = dirname(hooksFolder);
  return basename(parent) === ".kodelet" ? [join(parent, "tests")] : [];
}

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
