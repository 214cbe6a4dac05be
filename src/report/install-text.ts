import { diffLines } from "diff";
import { clipped, safeText, writeJson } from "../contract/json-text.ts";
import { column, counted, type Style } from "./style.ts";

/** One settings file before and after; null: there is none. */
export interface Changed {
  readonly file: string;
  readonly shown: string;
  readonly before: string | null;
  readonly after: string | null;
}

export interface InstallReport {
  readonly agent: string;
  readonly scope: string;
  readonly isDry: boolean;
  readonly changes: readonly Changed[];
}

const differs = ({ before, after }: Changed): boolean => before !== after;

/** The difference, that nothing was written, and the same line that would write it. */
export function changedText({ agent, changes }: InstallReport, argv: readonly string[], style: Style): string {
  const changed = changes.filter(differs);
  if (changed.length === 0) return `• ${agent}: nothing to change\n`;
  const told = changed.map(
    ({ shown, before, after }) => ` ${safeText(shown)}${kept(before)}\n${difference(before, after, style)}`,
  );
  const again = ["hookctl", ...argv.filter((word) => word !== "--dry-run")].join(" ");
  return `${told.join("")}${counted(changed.length, "change")}, nothing written. Apply: ${safeText(again)}\n`;
}

const kept = (before: string | null): string => (before === null ? "   (new)" : "   (comments and order are kept)");

function difference(before: string | null, after: string | null, style: Style): string {
  return diffLines(before ?? "", after ?? "")
    .filter(({ added, removed }) => added || removed)
    .flatMap(({ added, value }) =>
      value
        .replace(/\n$/, "")
        .split("\n")
        .map((line) => (added ? style.good(`+ ${safeText(line)}`) : style.bad(`- ${safeText(line)}`))),
    )
    .map((line) => `${line}\n`)
    .join("");
}

/** What was written, how it is undone, and what the person still has to do. */
export function installText(report: InstallReport, stillToDo: string, style: Style): string {
  const { agent, changes } = report;
  const changed = changes.filter(differs);
  if (changed.length === 0)
    return changes.map(({ shown }) => `• ${safeText(shown)} asks hookctl already, kept\n`).join("");
  const undo = `hookctl uninstall ${agent}${report.scope === "project" ? "" : ` --scope ${report.scope}`}`;
  const wrote = changed.map(({ shown }) => `${style.good("✔")} Wrote ${safeText(shown)} (undo: ${undo})\n`);
  return `${wrote.join("")}  ${stillToDo}\n  Check it: hookctl doctor ${agent}\n`;
}

export function uninstallText({ agent, changes }: InstallReport, style: Style): string {
  const changed = changes.filter(differs);
  if (changed.length === 0) return `• ${agent} does not ask hookctl, nothing to undo\n`;
  return changed
    .map(({ shown, after }) => `${style.good("✔")} ${after === null ? "Removed" : "Restored"} ${safeText(shown)}\n`)
    .join("");
}

export function installJson(
  verb: "install" | "uninstall" | "adopt",
  { agent, scope, isDry, changes }: InstallReport,
): string {
  return writeJson({
    schema: `hookctl.${verb}/1`,
    agent,
    scope,
    dry_run: isDry,
    files: changes.map((one) => ({ path: one.file, changed: differs(one), before: one.before, after: one.after })),
  });
}

interface TakenOver {
  readonly adopted: readonly {
    readonly on: string;
    readonly command: string;
    readonly entry: Readonly<Record<string, unknown>>;
  }[];
  readonly kept: readonly string[];
}

/** Each hook that was taken over, whole, since it is approved by that; what stays; how it is undone. */
export function adoptText({ agent, scope, isDry }: InstallReport, { adopted, kept }: TakenOver, style: Style): string {
  const stays = kept.map((text) => `${style.warn("▲")} Stays where it is: ${safeText(text)}\n`).join("");
  if (adopted.length === 0) return `• ${agent} has no hooks to take over\n${stays}`;
  const rows = adopted.map(
    ({ on, command, entry }) =>
      `  ${column(safeText(String(entry.name)), 28)}${column(on, 28)}${clipped(command, 500)}\n`,
  );
  const hooks = counted(adopted.length, "hook");
  const flags = scope === "project" ? "" : ` --scope ${scope}`;
  const end = isDry
    ? `${hooks}, nothing written. Apply: hookctl adopt ${agent}${flags}\n`
    : `${style.good("✔")} Took over and approved ${hooks} (undo: hookctl adopt ${agent} --undo${flags})\n  See them: hookctl list\n`;
  return `${rows.join("")}${stays}${end}`;
}
