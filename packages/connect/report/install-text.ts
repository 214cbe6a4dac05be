import { diffLines } from "diff";
import { MACHINE_CACHE, MACHINE_FOLDER } from "../../../src/fs/machine-folder.ts";
import { pathExists } from "../../../src/fs/paths.ts";
import { type JsonRecord, printableJson } from "../../../src/protocol/json/write.ts";
import { pluralize } from "../../../src/protocol/text/count.ts";
import { shellQuote } from "../../../src/protocol/text/shell-quote.ts";
import { escapeControls, listNames } from "../../../src/protocol/text/text.ts";
import { type Style, sourceRows } from "../../../src/report/text-style.ts";
import { type AgentScope, agentCommand, hookctlCommand, rootCommand } from "./agent-command.ts";

/** A settings file before and after a change; null if it does not exist. */
export interface FileChange {
  readonly file: string;
  readonly shown: string;
  readonly before: string | null;
  readonly after: string | null;
  /** True if the text is that of before hookctl's first write, byte for byte. */
  readonly isWhole?: boolean;
  /** `uninstall` leaves it: other registrations start it too. */
  readonly isShared?: true;
}

export interface InstallReport extends AgentScope {
  readonly isDry: boolean;
  readonly changes: readonly FileChange[];
  /** The files of other scopes that call hookctl as well. */
  readonly others: readonly (Pick<FileChange, "file" | "shown"> & { readonly scope: string })[];
}

const differs = ({ before, after }: FileChange): boolean => before !== after;

/** The diff of a dry run, and the command that applies it. */
export function installDiffText({ agent, changes }: InstallReport, argv: readonly string[], style: Style): string {
  const changed = changes.filter(differs);
  if (changed.length === 0) return `• ${agent}: nothing to change\n`;
  const changeLines = changed.map(
    ({ shown, before, after }) => ` ${escapeControls(shown)}${stateText(before)}\n${difference(before, after, style)}`,
  );
  return `${changeLines.join("")}${pluralize(changed.length, "change")}. Nothing was written. To apply: ${applyCommand(argv)}\n`;
}

/** The typed command without `--dry-run`. */
export const applyCommand = (argv: readonly string[]): string =>
  ["hookctl", ...argv.filter((word) => word !== "--dry-run" && word !== "-n")].map(shellQuote).join(" ");

const stateText = (before: string | null): string =>
  before === null ? "   (new)" : "   (comments and order are unchanged)";

function difference(before: string | null, after: string | null, style: Style): string {
  return diffLines(before ?? "", after ?? "")
    .filter(({ added, removed }) => added || removed)
    .flatMap(({ added, value }) =>
      value
        .replace(/\n$/, "")
        .split("\n")
        .flatMap((line) =>
          added ? sourceRows("+ ", line, style, style.good) : sourceRows("- ", line, style, style.bad),
        ),
    )
    .map((line) => `${line}\n`)
    .join("");
}

/** The written files, how to undo the installation, and remaining steps for the user. */
export function installText(report: InstallReport, notes: readonly string[], style: Style): string {
  const { agent, changes } = report;
  const changed = changes.filter(differs);
  if (changed.length === 0) {
    // The settings file comes first. Only it holds registrations.
    return changes
      .map(({ shown }, index) => `• ${index === 0 ? "already installed in" : "unchanged:"} ${escapeControls(shown)}\n`)
      .join("");
  }
  const isMachine = report.scope === "machine";
  const undo = isMachine ? rootCommand("hookctl uninstall --all") : agentCommand("uninstall", report);
  const wrote = changed.map(({ shown, after, isShared }) =>
    after === null
      ? `${style.good("✔")} Removed ${escapeControls(shown)}: the agent does not read it\n`
      : `${style.good("✔")} Wrote ${escapeControls(shown)} (${isShared ? "it starts hookctl" : `undo: ${undo}`})\n`,
  );
  const check = hookctlCommand(["doctor", agent], report);
  const noteLines = notes.map((note) => `  ${escapeControls(note)}\n`);
  return `${wrote.join("")}${noteLines.join("")}  Check it: ${isMachine ? rootCommand(check) : check}\n`;
}

/** What an agent skips, by its own words: `Codex CLI skips PreToolUse and Stop (modified), PreCompact (untrusted)`. */
export function skippedText(
  agent: string,
  skipped: readonly { readonly event: string; readonly status: string }[],
): string {
  const statuses = [...new Set(skipped.map(({ status }) => status))];
  const groups = statuses.map((status) => {
    const events = skipped.filter((one) => one.status === status).map(({ event }) => event);
    return `${escapeControls(listNames(events))} (${escapeControls(status)})`;
  });
  return `${agent} skips ${groups.join(", ")}`;
}

/** The restored files, and those that still call hookctl. */
export function uninstallText({ agent, scope, changes, others, directory }: InstallReport, style: Style): string {
  const changed = changes.filter(differs);
  const done = changed.map(
    ({ shown, after }) => `${style.good("✔")} ${after === null ? "Removed" : "Restored"} ${escapeControls(shown)}\n`,
  );
  // The settings file comes last. Only it holds registrations.
  const unused = `• ${escapeControls(changes.at(-1)?.shown ?? agent)} does not call hookctl, nothing to undo\n`;
  const left = others.map(
    ({ shown, scope }) =>
      `${style.warn("▲")} ${escapeControls(shown)} still calls hookctl: ${agentCommand("uninstall", { agent, scope, directory })}\n`,
  );
  const stays = [MACHINE_FOLDER, MACHINE_CACHE].filter((path) => scope === "machine" && pathExists(path));
  const shared =
    stays.length === 0
      ? ""
      : `• For every user ${stays.map(shellQuote).join(" and ")} stay${stays.length === 1 ? "s" : ""}: ${rootCommand("hookctl uninstall --all")}\n`;
  return [...(done.length === 0 ? [unused] : done), ...left, shared].join("");
}

const agentJson = ({ agent, scope, changes, others }: InstallReport): JsonRecord => ({
  ...{ agent, scope, files: changes.map(fileChangeJson) },
  also_registered: others.map((one) => ({ scope: one.scope, path: one.file })),
});

export const installJson = (isDry: boolean, reports: readonly InstallReport[]): string =>
  printableJson({ schema: "hookctl.install/2", dry_run: isDry, agents: reports.map(agentJson) });

export const uninstallJson = (report: InstallReport): string =>
  printableJson({ schema: "hookctl.uninstall/1", dry_run: report.isDry, ...agentJson(report) });

export const fileChangeJson = (one: FileChange): JsonRecord => ({
  path: one.file,
  changed: differs(one),
  before: one.before,
  after: one.after,
});
