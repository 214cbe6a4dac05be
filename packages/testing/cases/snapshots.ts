import { accessSync, constants } from "node:fs";
import { basename, dirname, join } from "node:path";
import { pathExists } from "../../../src/fs/paths.ts";
import { readIfPresent } from "../../../src/fs/read-file.ts";
import { type WriteRoot, whyNotWritable } from "../../../src/fs/write-check.ts";
import { writeFileAtomic } from "../../../src/fs/write-file.ts";
import { errnoCode } from "../../../src/protocol/errno.ts";
import {
  faultText,
  type JsonObject,
  type JsonSpan,
  membersOf,
  readJson,
  spanOfRaw,
} from "../../../src/protocol/json/read.ts";
import { type JsonRecord, jsonText, rawJson } from "../../../src/protocol/json/write.ts";
import type { CaseProblem } from "../../../src/protocol/problem.ts";
import { fail, ok, type Result } from "../../../src/protocol/result.ts";
import type { Verdict } from "../../../src/protocol/verdict.ts";
import type { CheckResult } from "../test-report.ts";
import { decisionWord } from "./compare-verdict.ts";
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

/** Why these snapshots cannot be replaced; null if they can. Checked before a case reports its snapshot as written. */
export function snapshotFault(caseFile: string, root: WriteRoot): CaseProblem | null {
  const file = snapshotFile(caseFile);
  const folder = dirname(file);
  try {
    const cause = whyNotWritable(root, file);
    if (cause !== null) return notWritten(file, cause);
    accessSync(`${pathExists(folder) ? folder : dirname(folder)}/.`, constants.W_OK);
    return null;
  } catch (error) {
    return notWritten(file, errnoCode(error) ?? String(error));
  }
}

const notWritten = (file: string, cause: string): CaseProblem => ({
  code: "CASE_NOT_WRITTEN",
  file,
  line: null,
  cause,
});

/**
 * Stores the results of cases without expectations. Cases that did not run keep their snapshots; snapshots of other
 * cases are removed.
 */
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
    const root = named[0]?.snapshot.updatedIn ?? null;
    // Checked again: the tested hook may have created a link there.
    const fault = root === null ? null : snapshotFault(caseFile, root);
    if (root === null || fault !== null) return fault === null ? [] : [fault];
    const entries = named.flatMap(({ name }) => {
      const snapshot = now.get(name) ?? before.value.get(name);
      return snapshot === undefined ? [] : [[name, snapshot] as const];
    });
    return write(caseFile, entries);
  });
}

function write(caseFile: string, entries: readonly (readonly [string, JsonSpan])[]): readonly CaseProblem[] {
  const file = snapshotFile(caseFile);
  const lines = entries.map(([name, { raw }]) => `  ${JSON.stringify(name)}: ${raw}`);
  try {
    writeFileAtomic(file, `{\n${lines.join(",\n")}\n}\n`, { mode: 0o644 });
    return [];
  } catch (error) {
    return [notWritten(file, errnoCode(error) ?? String(error))];
  }
}

/** A folder whose path differs from run to run, and its placeholder. */
export type ScratchName = readonly [path: string, word: string];

/** The result of a case without unchanged fields. `names`: the longest paths first. */
export function takeSnapshot(verdict: Verdict, state: JsonSpan, names: readonly ScratchName[]): JsonSpan {
  const lists = { context: verdict.context, follow_ups: verdict.followUps, pushes: verdict.pushes };
  const parts: JsonRecord = {
    decision: decisionWord(verdict.decision),
    reason: verdict.reason ?? undefined,
    change: verdict.change === null ? undefined : rawJson(verdict.change),
    ...Object.fromEntries(Object.entries(lists).filter(([, texts]) => texts.length > 0)),
    state: state.raw === "{}" ? undefined : rawJson(state.raw),
  };
  // Paths of the scratch folders contain no character that JSON escapes.
  return spanOfRaw(names.reduce((text, [path, word]) => text.replaceAll(path, word), jsonText(parts)));
}
