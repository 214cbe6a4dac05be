import { join } from "node:path";
import type { Host } from "../../../../src/engine/host.ts";
import type { RunContext } from "../../../../src/engine/run-context.ts";
import { isRealFolder } from "../../../../src/fs/paths.ts";
import { readIfPresent } from "../../../../src/fs/read-file.ts";
import { type WriteRoot, whyNotWritable } from "../../../../src/fs/write-check.ts";
import { writeFileAtomic } from "../../../../src/fs/write-file.ts";
import { objectOr } from "../../../../src/protocol/json/read.ts";
import { type JsonRecord, printableJson } from "../../../../src/protocol/json/write.ts";
import { editText } from "../../install/settings-file/edit-switches.ts";
import type { RuleScope } from "./rule-places.ts";

const FILE = "allowed.json";

/**
 * Adds a test case beside the settings with its rule, if there is a folder of test cases. Returns the file, or null if the case
 * was not written. A rule of the person for one project has no such place: elsewhere its case would fail.
 */
export function writeCase(
  one: JsonRecord,
  scope: RuleScope,
  { scopes, userId }: RunContext,
  host: Host,
): string | null {
  const folder = scope === "global" ? scopes.homeDir : scope === "project" ? scopes.projectDir : null;
  if (folder === null || !isRealFolder(join(folder, ".kodelet", "tests"))) return null;
  const file = join(folder, ".kodelet", "tests", FILE);
  const root: WriteRoot = scope === "project" ? { kind: "project", folder } : { kind: "user", userId };
  const read = readIfPresent(file);
  const before = read.ok ? (read.value?.toString("utf8") ?? "") : null;
  if (before === null || whyNotWritable(root, file) !== null) return null;
  const edited = editText(before, (parsed) => {
    const { cases } = objectOr(parsed);
    const value = JSON.parse(printableJson(one));
    if (!Array.isArray(cases)) return [{ path: ["cases"], value: [value] }];
    const isPresent = cases.some((present) => objectOr(present).name === one.name);
    return isPresent ? [] : [{ path: ["cases", cases.length], value, isAdded: true }];
  });
  if (!edited.ok) return null;
  try {
    writeFileAtomic(file, edited.value, { mode: 0o644 });
    return file;
  } catch (error) {
    host.err(`▲ ${file}: ${String(error)}\n`);
    return null;
  }
}
