import { basename } from "node:path";
import { readLocated } from "../../config/located-text.ts";
import { readIfPresent } from "../../fs/read-file.ts";
import type { ConfigProblem } from "../../protocol/problem.ts";

/** The line of a settings file that a problem is about; null: not known. */
export function settingsLine(problem: ConfigProblem): number | null {
  const { file } = problem;
  const read = readIfPresent(file);
  if (!read.ok || read.value === null) return null;
  const located = readLocated(read.value.toString("utf8"), file);
  if (!located.ok) return located.error.line;
  const path = pathOf(problem);
  const isPackage = basename(file) === "package.json";
  return path.length === 0 ? null : located.value.lineOf(isPackage ? ["hookctl", ...path] : path);
}

/** `hooks.before_tool_call[0]` as keys and indexes. A part that is no key of the file ends at the value around it. */
function pathOf(problem: ConfigProblem): readonly (string | number)[] {
  if (!("entry" in problem)) return [];
  const parts = problem.entry === "the file" ? [] : problem.entry.split(/[.[\]]+|: /).filter((part) => part !== "");
  const path = parts.map((part) => (/^\d+$/.test(part) ? Number(part) : part));
  return problem.code === "CONFIG_UNKNOWN_KEY" ? [...path, problem.key] : path;
}
