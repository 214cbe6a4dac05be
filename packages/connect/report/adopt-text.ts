import { type JsonRecord, printableJson } from "../../../src/protocol/json/write.ts";
import { pluralize } from "../../../src/protocol/text/count.ts";
import { escapeControls, listNames, truncateEscaped } from "../../../src/protocol/text/text.ts";
import { column, type Style } from "../../../src/report/text-style.ts";
import { agentCommand, hookctlCommand } from "./agent-command.ts";
import { applyCommand, fileChangeJson, type InstallReport, installDiffText, uninstallText } from "./install-text.ts";

interface AdoptReport extends InstallReport {
  /** The agent's settings. */
  readonly file: string;
  readonly adopted: readonly { readonly on: string; readonly name: string; readonly command: string }[];
  /** The hooks that stay, each with the reason. */
  readonly kept: readonly string[];
  /** Hooks that read variables they do not get. */
  readonly missing: readonly { readonly name: string; readonly variables: readonly string[] }[];
}

/** Shows each adopted hook in full, because adopting approves it, then the hooks that stay, the files and how to undo it; no command to type if `argv` is null. */
export function adoptText(report: AdoptReport, argv: readonly string[] | null, style: Style): string {
  const { isDry, adopted, kept, missing, changes } = report;
  const stays = [...new Set(kept)].map((text) => `${style.warn("▲")} not migrated: ${escapeControls(text)}\n`).join("");
  if (adopted.length === 0) return `${nothingToAdopt(report)}${stays}`;
  const nameWidth = Math.max(28, ...adopted.map(({ name }) => [...escapeControls(name)].length + 2));
  const rows = adopted.map(
    ({ on, name, command }) =>
      `  ${column(escapeControls(name), nameWidth)}${column(on, 28)}${truncateEscaped(command, 500)}\n`,
  );
  const lacks = missing.map(
    ({ name, variables }) =>
      `${style.warn("▲")} ${escapeControls(name)} reads ${variables.map((one) => `$${one}`).join(", ")}, which project hooks do not get.\n` +
      `  To pass them on, add to your settings file: "env_allow": ${JSON.stringify(variables)}\n`,
  );
  const hooks = pluralize(adopted.length, "hook");
  const end = isDry
    ? argv === null
      ? ""
      : `${hooks}. Nothing was written. To apply: ${applyCommand(argv)}\n`
    : `${style.good("✔")} Migrated and approved ${hooks} (undo: ${agentCommand("adopt", report, ["--undo"])})\n` +
      `  List them: ${hookctlCommand(["list"], report)}\n`;
  const files = listNames(changes.map(({ shown }) => escapeControls(shown)));
  return `${rows.join("")}${stays}${lacks.join("")}  ${isDry ? "would change" : "changed"}: ${files}\n${end}`;
}

/** Names the scope that was searched: the hooks may be in another one. */
function nothingToAdopt(report: AdoptReport): string {
  const { agent, scope } = report;
  const own = agentCommand("adopt", { ...report, scope: "user" });
  return `• ${agent} has no hooks in its ${scope} settings (${escapeControls(report.file)}) that adopt can migrate${scope === "user" ? "" : `; for your own settings: ${own}`}\n`;
}

/** The JSON form. */
export const adoptJson = (report: AdoptReport): string =>
  printableJson({
    ...headOf(report),
    files: report.changes.map(fileChangeJson),
    adopted: report.adopted.map(({ on, name, command }) => ({ on, name, command })),
    kept: report.kept,
    missing_variables: Object.fromEntries(report.missing.map(({ name, variables }) => [name, variables])),
  });

interface UndoneReport extends InstallReport {
  /** Entries that were edited since they were adopted. */
  readonly stays: readonly string[];
}

export function adoptUndoText(report: UndoneReport, argv: readonly string[], style: Style): string {
  const text = report.isDry ? installDiffText(report, argv, style) : uninstallText(report, style);
  const stays = report.stays.map(
    (name) =>
      `${style.warn("▲")} ${escapeControls(name)} was edited after the migration and stays in hookctl's settings\n`,
  );
  return `${text}${stays.join("")}`;
}

export const adoptUndoJson = (report: UndoneReport): string =>
  printableJson({ ...headOf(report), files: report.changes.map(fileChangeJson), stays: report.stays });

const headOf = ({ agent, scope, isDry }: InstallReport): JsonRecord => ({
  schema: "hookctl.adopt/1",
  agent,
  scope,
  dry_run: isDry,
});
