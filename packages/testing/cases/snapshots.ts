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
  if (read.value.kind !== "object") return fail({ code: "CASE_NOT_PARSED", file, line: 1, cause: "not an object" });
  return ok(membersOf(read.value));
}

/** Why these snapshots cannot be replaced; null if they can. Checked before a case reports its snapshot as written. */
export const snapshotFault = (caseFile: string, root: WriteRoot): CaseProblem | null =>
  writeFault(caseFile, (file) => {
    const cause = whyNotWritable(root, file);
    if (cause !== null) return cause;
    const folder = dirname(file);
    accessSync(`${pathExists(folder) ? folder : dirname(folder)}/.`, constants.W_OK);
    return null;
  });

/** Does something to the file of snapshots. Returns why it cannot be written, or null. */
function writeFault(caseFile: string, use: (file: string) => string | null): CaseProblem | null {
  const file = snapshotFile(caseFile);
  const fault = (cause: string): CaseProblem => ({ code: "CASE_NOT_WRITTEN", file, line: null, cause });
  try {
    const cause = use(file);
    return cause === null ? null : fault(cause);
  } catch (error) {
    return fault(errnoCode(error) ?? String(error));
  }
}

/**
 * Stores the results of cases without expectations. Cases that did not run keep their snapshots; snapshots of other
 * cases are removed.
 */
export function writeSnapshots(results: readonly CheckResult[], cases: readonly TestCase[]): readonly CaseProblem[] {
  const taken = results.filter(({ snapshot }) => snapshot !== undefined);
  return [...new Set(taken.flatMap(({ caseFile }) => caseFile ?? []))].flatMap((caseFile) => {
    const before = readSnapshots(caseFile);
    if (!before.ok) return [before.error];
    const named = cases.filter(({ file, expected }) => file === caseFile && expected === null);
    const root = named[0]?.snapshot.updatedIn ?? null;
    if (root === null) return [];
    const lines = named.flatMap(({ name }) => {
      const now = taken.findLast((one) => one.caseFile === caseFile && one.name === name)?.snapshot;
      const snapshot = now ?? before.value.get(name);
      return snapshot === undefined ? [] : [`  ${JSON.stringify(name)}: ${snapshot.raw}`];
    });
    const write = (file: string): null => {
      writeFileAtomic(file, `{\n${lines.join(",\n")}\n}\n`, { mode: 0o644 });
      return null;
    };
    // Checked again: the tested hook may have created a link there.
    return snapshotFault(caseFile, root) ?? writeFault(caseFile, write) ?? [];
  });
}

/** The result of a case without unchanged fields. `names`: paths and their placeholders, the longest paths first. */
export function takeSnapshot(
  verdict: Verdict,
  state: JsonSpan,
  names: readonly (readonly [path: string, placeholder: string])[],
): JsonSpan {
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
