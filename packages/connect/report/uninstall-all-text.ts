import { type JsonRecord, printableJson } from "../../../src/protocol/json/write.ts";
import { pluralize } from "../../../src/protocol/text/count.ts";
import { escapeControls } from "../../../src/protocol/text/text.ts";
import { displayPath, type PathContext } from "../../../src/report/display-path.ts";
import { column, type Style } from "../../../src/report/text-style.ts";
import type { FileChange } from "./install-text.ts";

/** A file of hookctl that stays, the reason, and the command that removes it. */
export interface LeftFile {
  readonly path: string;
  readonly why: string;
  readonly fix: string | null;
}

export interface RemovalReport {
  readonly isDry: boolean;
  readonly files: readonly FileChange[];
  readonly folders: readonly { readonly path: string; readonly about: string }[];
  readonly servers: readonly { readonly processId: number }[];
  readonly kept: readonly string[];
  readonly left: readonly LeftFile[];
  /** The typed command without `--dry-run`; null without it. */
  readonly apply: string | null;
  /** The command that removes the program; null if no package manager has installed it. */
  readonly program: string | null;
  readonly paths: PathContext;
}

const WORDS = {
  stop: ["stop", "Stopped"],
  restore: ["restore", "Restored"],
  edit: ["edit", "Edited"],
  remove: ["remove", "Removed"],
} as const;

interface Step {
  readonly action: keyof typeof WORDS;
  readonly path: string;
  readonly about: string;
}

function stepsOf({ files, folders, servers }: RemovalReport): readonly Step[] {
  const stop = servers.map(({ processId }) => ({
    action: "stop" as const,
    path: `process ${processId}`,
    about: "a server of hookctl",
  }));
  const changes = files.map(({ file, after, isWhole }): Step => {
    if (after === null) return { action: "remove", path: file, about: "hookctl created it" };
    if (isWhole === true) return { action: "restore", path: file, about: "as it was, byte for byte" };
    const since = isWhole === undefined ? "" : "; it was edited since";
    return { action: "edit", path: file, about: `without hookctl's entries${since}` };
  });
  const trees = folders.map(({ path, about }) => ({ action: "remove" as const, path, about }));
  return [...stop, ...changes, ...trees];
}

/** What `uninstall --all` will do or has done, what stays, and the command that removes the program. */
export function removalText(report: RemovalReport, style: Style): string {
  const { isDry, kept, left, apply, program, paths } = report;
  const shown = (path: string): string => (path.startsWith("/") ? displayPath(path, paths) : escapeControls(path));
  const steps = stepsOf(report);
  const width = Math.max(0, ...steps.map(({ path }) => [...shown(path)].length));
  const lines = steps.map(({ action, path, about }) => {
    const verb = WORDS[action][isDry ? 0 : 1];
    return `${isDry ? "•" : style.good("✔")} ${column(verb, 8)} ${column(shown(path), width)}  ${style.faint(about)}\n`;
  });
  const none = steps.length === 0 ? "• hookctl has written nothing here\n" : "";
  const keptLines = kept.map((path) => `  ${shown(path)}\n`);
  const leftLines = left.map(
    ({ path, why, fix }) => `${style.warn("▲")} ${shown(path)} stays: ${escapeControls(why)}${fixText(fix)}\n`,
  );
  const next = apply === null ? "" : `${pluralize(steps.length, "change")}. Nothing was removed. To apply: ${apply}\n`;
  return [
    ...lines,
    none,
    ...leftLines,
    ...(kept.length === 0
      ? []
      : ["Your files, which stay (settings, hooks, test cases, packs):\n", ...keptLines, KEPT_END]),
    ...(isDry ? [next] : [endText(program, steps.length > 0)]),
  ].join("");
}

const KEPT_END = "To remove one of them: rm -r PATH. A pack alone: hookctl remove NAME, in its project\n";

const fixText = (fix: string | null): string => (fix === null ? "" : `\n  ${escapeControls(fix)}`);

function endText(program: string | null, isRemoved: boolean): string {
  const restart = isRemoved ? "Restart your agents: running ones still call hookctl.\n" : "";
  const last = program === null ? "No package manager has installed this hookctl." : `Remove the program: ${program}`;
  return `${restart}${last}\n`;
}

export function removalJson(report: RemovalReport): string {
  const steps = stepsOf(report).map(({ action, path }): JsonRecord => ({ action, path }));
  const { isDry, kept, left, program } = report;
  const leftFiles = left.map(({ path, why, fix }) => ({ path, why, fix }));
  return printableJson({
    schema: "hookctl.uninstall-all/1",
    ...{ dry_run: isDry, steps, kept: [...kept], left: leftFiles, program },
  });
}
