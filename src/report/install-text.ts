import { diffLines } from "diff";
import { type JsonRecord, printableJson } from "../protocol/json/write.ts";
import { pluralize } from "../protocol/text/count.ts";
import { shellQuote } from "../protocol/text/shell-quote.ts";
import { escapeControls } from "../protocol/text/text.ts";
import { type AgentScope, agentCommand, hookctlCommand } from "./agent-command.ts";
import type { Style } from "./text-style.ts";

/** A settings file before and after a change; null: it does not exist. */
export interface FileChange {
  readonly file: string;
  readonly shown: string;
  readonly before: string | null;
  readonly after: string | null;
}

export interface InstallReport extends AgentScope {
  readonly isDry: boolean;
  readonly changes: readonly FileChange[];
}

const differs = ({ before, after }: FileChange): boolean => before !== after;

/** The diff of a dry run, and the command that applies it. */
export function installDiffText({ agent, changes }: InstallReport, argv: readonly string[], style: Style): string {
  const changed = changes.filter(differs);
  if (changed.length === 0) return `• ${agent}: nothing to change\n`;
  const changeLines = changed.map(
    ({ shown, before, after }) => ` ${escapeControls(shown)}${kept(before)}\n${difference(before, after, style)}`,
  );
  return `${changeLines.join("")}${pluralize(changed.length, "change")}. Nothing was written. To apply: ${applyCommand(argv)}\n`;
}

/** The typed command without `--dry-run`. */
export const applyCommand = (argv: readonly string[]): string =>
  ["hookctl", ...argv.filter((word) => word !== "--dry-run")].map(shellQuote).join(" ");

const kept = (before: string | null): string =>
  before === null ? "   (new)" : "   (comments and order are unchanged)";

function difference(before: string | null, after: string | null, style: Style): string {
  return diffLines(before ?? "", after ?? "")
    .filter(({ added, removed }) => added || removed)
    .flatMap(({ added, value }) =>
      value
        .replace(/\n$/, "")
        .split("\n")
        .map((line) => (added ? style.good(`+ ${escapeControls(line)}`) : style.bad(`- ${escapeControls(line)}`))),
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
  const undo = agentCommand("uninstall", report);
  const wrote = changed.map(({ shown, after }) =>
    after === null
      ? `${style.good("✔")} Removed ${escapeControls(shown)}: the agent does not read it\n`
      : `${style.good("✔")} Wrote ${escapeControls(shown)} (undo: ${undo})\n`,
  );
  const noteLines = notes.map((note) => `  ${escapeControls(note)}\n`);
  return `${wrote.join("")}${noteLines.join("")}  Check it: ${hookctlCommand(["doctor", agent], report)}\n`;
}

interface UpdatedRegistration {
  /** The agent's title. */
  readonly agent: string;
  readonly shown: string;
  readonly added: readonly string[];
  readonly isClosed: boolean;
  readonly stillToDo: string;
}

/** The message after a registration was updated for new hooks. */
export function updatedRegistrationText({ agent, shown, added, isClosed, stillToDo }: UpdatedRegistration): string {
  const what = [
    ...(added.length === 0 ? [] : [`registers ${added.join(", ")} too`]),
    ...(isClosed ? ["is fail-closed, like one of the hooks"] : []),
  ];
  const words = what.length === 0 ? "uses the timeouts of the hooks" : what.join(" and ");
  return `• ${agent}: ${escapeControls(shown)} now ${words}\n  ${stillToDo}\n`;
}

export function uninstallText({ agent, changes }: InstallReport, style: Style): string {
  const changed = changes.filter(differs);
  if (changed.length === 0) return `• ${agent} does not use hookctl, nothing to undo\n`;
  return changed
    .map(
      ({ shown, after }) => `${style.good("✔")} ${after === null ? "Removed" : "Restored"} ${escapeControls(shown)}\n`,
    )
    .join("");
}

export function installJson(verb: "install" | "uninstall", { agent, scope, isDry, changes }: InstallReport): string {
  return printableJson({
    schema: `hookctl.${verb}/1`,
    agent,
    scope,
    dry_run: isDry,
    files: changes.map(fileChangeJson),
  });
}

export const fileChangeJson = (one: FileChange): JsonRecord => ({
  path: one.file,
  changed: differs(one),
  before: one.before,
  after: one.after,
});
