import { join } from "node:path";
import { effectiveFile } from "../../../../src/config/config-files.ts";
import { checkConfig } from "../../../../src/config/schema/check-config.ts";
import type { Host } from "../../../../src/engine/host.ts";
import type { RunContext } from "../../../../src/engine/run-context.ts";
import { callerOf, findUserPaths } from "../../../../src/engine/user-paths.ts";
import { followLinks } from "../../../../src/fs/paths.ts";
import { type WriteRoot, whyNotWritable } from "../../../../src/fs/write-check.ts";
import { writeFileAtomic } from "../../../../src/fs/write-file.ts";
import { errnoCode } from "../../../../src/protocol/errno.ts";
import { jsonText } from "../../../../src/protocol/json/write.ts";
import type { HostProblem, Problem } from "../../../../src/protocol/problem.ts";
import { fail, ok, type Result, unwrap } from "../../../../src/protocol/result.ts";
import { shellQuote } from "../../../../src/protocol/text/shell-quote.ts";
import { escapeControls } from "../../../../src/protocol/text/text.ts";
import { type Switch, setSwitches } from "../../install/settings-file/edit-switches.ts";
import { presentText } from "../../install/settings-file/write-settings-files.ts";

interface SwitchRequest {
  readonly switches: readonly Switch[];
  readonly isOn: boolean;
  readonly isProject: boolean;
}

/** The settings file of a scope, with guards and hooks switched in its text; nothing is written yet. */
export interface SwitchesEdit {
  readonly file: string;
  readonly root: WriteRoot;
  /** The names whose setting changes; empty: the settings already have these values. */
  readonly changed: readonly string[];
  readonly text: string;
}

/** Switches guards and hooks in the text of a settings file; a missing file is one without settings. */
export function editSwitches(wanted: SwitchRequest, context: RunContext, host: Host): Result<SwitchesEdit, Problem> {
  const { switches, isOn, isProject } = wanted;
  const { homeDir, projectDir } = context.scopes;
  if (!isProject && homeDir === null) {
    const detail = "HOME is not an existing absolute folder, so there is no place for your settings.";
    return fail({ code: "USAGE_WRONG_WORDS", detail, tryThis: `HOME=DIR ${typedLine(host)}` });
  }
  const folder = isProject ? projectDir : (homeDir ?? "");
  const file = settingsFile(folder, wanted, context, host);
  const root: WriteRoot = isProject ? { kind: "project", folder } : { kind: "user", userId: host.userId };
  if (!file.endsWith(".json")) return yamlEdit({ file, root }, wanted, context);
  const before = unwrap(presentText(followLinks(file), file));
  const edited = setSwitches(before ?? "", switches, isOn);
  if (!edited.ok)
    return fail({ code: "CONFIG_NOT_PARSED", file, cause: `line ${edited.error.line}: ${edited.error.detail}` });
  unwrap(checkConfig(JSON.parse(edited.value), file, isProject ? "project" : "user"));
  const isChanged = (one: Switch): boolean =>
    !isUnchanged(setSwitches(before ?? "{}\n", [one], isOn), before ?? "{}\n");
  const changed = switches.filter(isChanged).map(({ name }) => name);
  return ok({ file, root, changed, text: edited.value });
}

/** The command line as it was typed: hookctl enable, disable or init. */
const typedLine = ({ argv }: Host): string =>
  ["hookctl", ...argv.map((word) => shellQuote(escapeControls(word)))].join(" ");

const isUnchanged = (edited: Result<string, unknown>, before: string | null): boolean =>
  edited.ok && edited.value === before;

/** YAML is not edited: its comments and form would be lost. A file that has the value already needs no edit. */
function yamlEdit(
  place: Pick<SwitchesEdit, "file" | "root">,
  { switches, isOn }: SwitchRequest,
  { settings }: RunContext,
): Result<SwitchesEdit, Problem> {
  const isSet = ({ name, key, isOff = false }: Switch): boolean =>
    key === "guards" ? settings.guards.some((guard) => guard.name === name && guard.file === place.file) : !isOff;
  if (isOn && switches.every(isSet)) return ok({ ...place, changed: [], text: "" });
  const lines = [
    yamlLine(
      "guards",
      switches.flatMap(({ key, name }) => (key === "guards" ? [`${name}: ${isOn}`] : [])),
    ),
    yamlLine(
      "overrides",
      switches.flatMap(({ key, name }) => (key === "overrides" ? [`${jsonText(name)}: { enabled: ${isOn} }`] : [])),
    ),
  ];
  const detail = `${place.file} is YAML, which hookctl does not edit.`;
  const tryThis = `add to it: ${lines.filter((line) => line !== "").join(" and ")}`;
  return fail({ code: "USAGE_WRONG_WORDS", detail, tryThis });
}

const yamlLine = (key: string, rows: readonly string[]): string =>
  rows.length === 0 ? "" : `${key}: { ${rows.join(", ")} }`;

/** Writes the edited settings, unless nothing changed. */
export function writeSwitches({ file, root, changed, text }: SwitchesEdit): HostProblem | null {
  if (changed.length === 0) return null;
  const path = followLinks(file);
  const cause = whyNotWritable(root, path) ?? write(path, text);
  return cause === null ? null : { code: "FILE_NOT_WRITTEN", path: file, cause };
}

function settingsFile(folder: string, { isProject }: SwitchRequest, { scopes }: RunContext, host: Host): string {
  const { configHome } = findUserPaths(scopes, callerOf(host, null));
  const { homeDir } = scopes;
  const input = { projectDirs: isProject ? [folder] : [], homeDir, configHome, explicitFile: null };
  return effectiveFile(input, isProject ? "project" : "user") ?? join(folder, ".kodelet", "hooks.json");
}

function write(path: string, text: string): string | null {
  try {
    writeFileAtomic(path, text, { mode: 0o644 });
    return null;
  } catch (error) {
    return errnoCode(error) ?? String(error);
  }
}
