import { printableJson } from "../../../src/protocol/json/write.ts";
import { pluralize } from "../../../src/protocol/text/count.ts";
import { quoteHookName, quoteHookNames } from "../../../src/protocol/text/shell-quote.ts";
import { truncateEscaped } from "../../../src/protocol/text/text.ts";
import { column, type Style } from "../../../src/report/text-style.ts";

/** The result of `new`. Paths are relative to the project. */
export interface ScaffoldReport {
  readonly project: string;
  /** True if the project is a folder above the working directory. */
  readonly isAbove: boolean;
  readonly files: readonly ScaffoldFile[];
  readonly approved: readonly string[];
  /** Why the new hooks were not approved. */
  readonly unapproved?: string | undefined;
}

interface ScaffoldFile {
  readonly path: string;
  readonly created: boolean;
  readonly event: string;
  readonly about: string;
}

interface NewHook {
  readonly name: string;
  /** `path=value` with which the sample answers. */
  readonly trialField: string;
}

/** The new hook, its requirements, and how to try and change it. */
export function newText(report: ScaffoldReport, { name, trialField }: NewHook, style: Style): string {
  const files = folderLine(report) + fileLines(report, style);
  const summary = `${files}${approvedLine(report, style)}`;
  if (!report.files.some(({ created }) => created)) return summary;
  const word = quoteHookName(name);
  const steps = [
    [`hookctl try ${quoteHookNames([name, trialField])}`, "see it answer"],
    [`hookctl test ${word}`, "check it, and run its test cases"],
    [`hookctl edit ${word}`, "write your rule and its cases, approve and test the change"],
    ["hookctl init", "connect your agents, if none is yet"],
  ] as const;
  const width = widthOf(
    steps.map(([command]) => command),
    0,
  );
  const lines = steps.map(([command, about]) => `${column(command, width)}${about}\n`);
  return `${summary}\nNext:  ${lines.join("       ")}`;
}

/** The folder of the files, if it is not the working directory. */
function folderLine({ project, isAbove }: ScaffoldReport): string {
  if (!isAbove) return "";
  return `• In ${truncateEscaped(project, 300)}, the nearest folder with a .kodelet. For hooks of this folder alone: mkdir .kodelet\n`;
}

/** Two columns, path and event. A file without an event may have a path that is wider than its column. */
function fileLines({ files }: ScaffoldReport, style: Style): string {
  const hooks = files.filter(({ event }) => event !== "");
  const paths = widthOf(
    hooks.map(({ path }) => path),
    33,
  );
  const events = widthOf(
    hooks.map(({ event }) => event),
    19,
  );
  const lines = files.map(({ path, created, event, about }) => {
    if (!created) return `• ${truncateEscaped(path, 300)} already exists, not changed\n`;
    return `${style.good("✔")} ${column(column(path, paths) + event, paths + events)}${about}\n`;
  });
  return lines.join("");
}

const widthOf = (texts: readonly string[], least: number): number =>
  Math.max(least, ...texts.map((text) => [...text].length + 2));

function approvedLine({ approved, unapproved }: ScaffoldReport, style: Style): string {
  if (unapproved !== undefined) return `${style.warn("▲")} Not approved yet: ${truncateEscaped(unapproved, 300)}\n`;
  if (approved.length === 0) return "";
  return `${style.good("✔")} Approved ${pluralize(approved.length, "hook")} you just created (hookctl trust --list)\n`;
}

/** The new files as JSON: `hookctl.new/1`. */
export function scaffoldJson(report: ScaffoldReport): string {
  const { project, files, approved, unapproved } = report;
  const shown = files.map(({ path, created }) => ({ path, created }));
  return printableJson({ schema: "hookctl.new/1", project, files: shown, approved, not_approved: unapproved });
}
