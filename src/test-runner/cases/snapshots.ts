import { lstatSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { readIfPresent } from "../../fs/read-file.ts";
import { writeFileAtomic } from "../../fs/write-file.ts";
import { errnoCode } from "../../protocol/errno.ts";
import { faultText, type JsonObject, type JsonSpan, membersOf, readJson } from "../../protocol/json/read.ts";
import type { CaseProblem } from "../../protocol/problem.ts";
import { fail, ok, type Result } from "../../protocol/result.ts";
import type { CheckResult } from "../test-report.ts";
import type { TestCase } from "./test-case.ts";

const DEPTH = 128;

/** The file with the snapshots of a file of cases, by the names of the cases. */
const snapshotFile = (caseFile: string): string => join(dirname(caseFile), "snapshots", `${basename(caseFile)}.json`);

export function readSnapshots(caseFile: string): Result<JsonObject, CaseProblem> {
  const file = snapshotFile(caseFile);
  const bytes = readIfPresent(file);
  if (!bytes.ok) return fail({ code: "CASE_NOT_READABLE", file, line: null, cause: bytes.error });
  if (bytes.value === null) return ok(new Map());
  const read = readJson(bytes.value.toString("utf8"), DEPTH);
  if (!read.ok) return fail({ code: "CASE_NOT_PARSED", file, line: read.error.line, cause: faultText(read.error) });
  if (read.value.kind !== "object") return fail({ code: "CASE_NOT_PARSED", file, line: 1, cause: "it is no object" });
  return ok(membersOf(read.value));
}

/** Stores what came of cases that expect nothing else. Cases that did not run keep their snapshots, others lose them. */
export function writeSnapshots(results: readonly CheckResult[], cases: readonly TestCase[]): readonly CaseProblem[] {
  const taken = results.flatMap(({ caseFile, name, snapshot }) =>
    caseFile === null || snapshot === undefined ? [] : [{ caseFile, name, snapshot }],
  );
  const files = [...new Set(taken.map(({ caseFile }) => caseFile))];
  return files.flatMap((caseFile) => {
    const before = readSnapshots(caseFile);
    if (!before.ok) return [before.error];
    const now = new Map(taken.filter((one) => one.caseFile === caseFile).map(({ name, snapshot }) => [name, snapshot]));
    const named = cases.filter(({ file, expected }) => file === caseFile && expected === null);
    const kept = named.flatMap(({ name }) => {
      const snapshot = now.get(name) ?? before.value.get(name);
      return snapshot === undefined ? [] : [[name, snapshot] as const];
    });
    return write(caseFile, kept);
  });
}

function write(caseFile: string, kept: readonly (readonly [string, JsonSpan])[]): readonly CaseProblem[] {
  const file = snapshotFile(caseFile);
  const lines = kept.map(([name, { raw }]) => `  ${JSON.stringify(name)}: ${raw}`);
  try {
    if (lstatSync(dirname(file), { throwIfNoEntry: false })?.isSymbolicLink() === true)
      return [{ code: "CASE_NOT_WRITTEN", file, line: null, cause: "its folder is a link" }];
    writeFileAtomic(file, `{\n${lines.join(",\n")}\n}\n`, { mode: 0o644 });
    return [];
  } catch (error) {
    return [{ code: "CASE_NOT_WRITTEN", file, line: null, cause: errnoCode(error) ?? String(error) }];
  }
}
