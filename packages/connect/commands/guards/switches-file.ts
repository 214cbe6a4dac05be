import { dirname, join } from "node:path";
import { effectiveFile } from "../../../../src/config/config-files.ts";
import { checkConfig, type Scope } from "../../../../src/config/schema/check-config.ts";
import type { Host } from "../../../../src/engine/host.ts";
import type { RunContext } from "../../../../src/engine/run-context.ts";
import { callerOf, findUserPaths } from "../../../../src/engine/user-paths.ts";
import { MACHINE_FOLDER } from "../../../../src/fs/machine-folder.ts";
import { followLinks, pathExists } from "../../../../src/fs/paths.ts";
import type { WriteRoot } from "../../../../src/fs/write-check.ts";
import { makeFolder, makePublicFolder, writeFileAtomic } from "../../../../src/fs/write-file.ts";
import { jsonText } from "../../../../src/protocol/json/write.ts";
import type { Problem } from "../../../../src/protocol/problem.ts";
import { attempt, fail, ok, type Result, unwrap } from "../../../../src/protocol/result.ts";
import { shellQuote } from "../../../../src/protocol/text/shell-quote.ts";
import { escapeControls } from "../../../../src/protocol/text/text.ts";
import type { GuardStore } from "../../install/seal/dropped-guards.ts";
import { acceptRemoved } from "../../install/seal/removed-guards.ts";
import { editText, type MemberEdit, type Switch, setSwitches } from "../../install/settings-file/edit-switches.ts";
import {
  checkWritable,
  modeOf,
  noteWrite,
  onDisk,
  presentText,
  withSettingsLock,
} from "../../install/settings-file/write-settings-files.ts";

interface SwitchRequest {
  readonly switches: readonly Switch[];
  readonly isOn: boolean;
  readonly isProject: boolean;
  /** In the user's settings, but only for this project. */
  readonly isHere?: boolean;
  /** In the settings of the machine, which root writes. */
  readonly isMachine?: boolean;
}

/** The settings file of a scope, with guards and hooks switched in its text; nothing is written yet. */
export interface SwitchesEdit extends SettingsPlace, TextEdit {
  /** The names whose setting changes; empty: the settings already have these values. */
  readonly changed: readonly string[];
  readonly text: string;
}

export interface SettingsPlace {
  readonly file: string;
  readonly root: WriteRoot;
  readonly host: Host;
  /** Where the guards of this file are recorded; null: it is not that of the user. */
  readonly store: GuardStore | null;
}

/** The settings file of the user or of the project; it may not exist yet. */
export function settingsPlace(
  isProject: boolean,
  { scopes }: Pick<RunContext, "scopes">,
  host: Host,
): Result<SettingsPlace, Problem> {
  const folder = isProject ? scopes.projectDir : scopes.homeDir;
  if (folder === null) {
    const typed = ["hookctl", ...host.argv.map((word) => shellQuote(escapeControls(word)))].join(" ");
    const detail = "HOME is not an existing absolute folder, so there is no place for your settings.";
    return fail({ code: "USAGE_WRONG_WORDS", detail, tryThis: `HOME=DIR ${typed}` });
  }
  const scope = isProject ? "project" : "user";
  const { configHome, trustFile } = findUserPaths(scopes, callerOf(host, null));
  const projectDirs = isProject ? [folder] : [];
  const places = { projectDirs, homeDir: scopes.homeDir, configHome, explicitFile: null };
  const file = effectiveFile(places, scope) ?? join(folder, ".kodelet", "hooks.json");
  const { userId } = host;
  return isProject
    ? ok({ file, root: { kind: "project", folder }, host, store: null })
    : ok({ file, root: { kind: "user", userId }, host, store: { trustFile, userId } });
}

/** The settings of the machine; its administrator may have written YAML. */
export function machinePlace(host: Host): SettingsPlace {
  const yaml = join(MACHINE_FOLDER, "hooks.yaml");
  const file = pathExists(yaml) ? yaml : join(MACHINE_FOLDER, "hooks.json");
  return { file, root: { kind: "machine" }, host, store: null };
}

/** Switches guards and hooks in the text of a settings file; a missing file is a file without settings. */
export function editSwitches(wanted: SwitchRequest, context: RunContext, host: Host): Result<SwitchesEdit, Problem> {
  const { switches, isOn, isProject, isHere = false, isMachine = false } = wanted;
  const here = !isMachine && (isHere || (isOn && !isProject)) ? context.scopes.rootDir : null;
  const place = isMachine ? machinePlace(host) : unwrap(settingsPlace(isProject, context, host));
  const { file } = place;
  if (!file.endsWith(".json")) return yamlEdit(place, wanted, context);
  const before = unwrap(presentText(followLinks(file), file));
  const scope = isMachine ? "machine" : isProject ? "project" : "user";
  const edited = (text: string | null) => checkedText(setSwitches(text ?? "", switches, isOn, here), file, scope);
  const text = unwrap(edited(before));
  const present = before ?? "{}\n";
  const isChanged = (one: Switch): boolean => {
    const alone = setSwitches(present, [one], isOn, here);
    return !alone.ok || alone.value !== present;
  };
  const changed = switches.filter(isChanged).map(({ name }) => name);
  return ok({ ...place, changed, text, edited });
}

/** The edited text, if it is parsed and valid as settings of its scope. */
function checkedText(edited: ReturnType<typeof editText>, file: string, scope: Scope): Result<string, Problem> {
  if (!edited.ok)
    return fail({ code: "CONFIG_NOT_PARSED", file, cause: `line ${edited.error.line}: ${edited.error.detail}` });
  const checked = checkConfig(JSON.parse(edited.value), file, scope);
  return checked.ok ? edited : checked;
}

/** Edits the text that the file has when it is written: another process may have changed it since it was read. */
interface TextEdit {
  readonly edited: (before: string | null) => Result<string, Problem>;
}

export interface SettingsEdit extends SettingsPlace, TextEdit {
  readonly text: string;
  readonly isChanged: boolean;
}

/**
 * Edits members of the user's or the project's settings file. `yaml`: what to add by hand to a YAML file, which is not
 * edited, because its comments and form would be lost.
 */
export function editSettings(
  { isProject, yaml }: { readonly isProject: boolean; readonly yaml: string },
  editsFor: (root: unknown) => readonly MemberEdit[],
  { context, host }: { readonly context: RunContext; readonly host: Host },
): Result<SettingsEdit, Problem> {
  const place = unwrap(settingsPlace(isProject, context, host));
  const { file } = place;
  if (!file.endsWith(".json"))
    return fail({ code: "USAGE_WRONG_WORDS", detail: `${file} is YAML, which hookctl does not edit.`, tryThis: yaml });
  const before = unwrap(presentText(followLinks(file), file));
  const edited = (text: string | null) =>
    checkedText(editText(text ?? "", editsFor), file, isProject ? "project" : "user");
  const text = unwrap(edited(before));
  return ok({ ...place, text, isChanged: text !== (before ?? "{}\n"), edited });
}

/** YAML is not edited: its comments and form would be lost. A file that has the value already needs no edit. */
function yamlEdit(
  place: SettingsPlace,
  { switches, isOn }: SwitchRequest,
  { settings }: RunContext,
): Result<SwitchesEdit, Problem> {
  const isSet = ({ name, key, isOff = false }: Switch): boolean =>
    key === "guards" ? settings.guards.some((guard) => guard.name === name && guard.file === place.file) : !isOff;
  const missing = isOn ? switches.filter((one) => !isSet(one)) : switches;
  if (missing.length === 0) return ok({ ...place, changed: [], text: "", edited: () => ok("") });
  const lineOf = (key: Switch["key"], rowOf: (name: string) => string): string => {
    const rows = missing.filter((one) => one.key === key).map(({ name }) => rowOf(name));
    return rows.length === 0 ? "" : `${key}: { ${rows.join(", ")} }`;
  };
  const lines = [
    lineOf("guards", (name) => `${name}: ${isOn}`),
    lineOf("overrides", (name) => `${jsonText(name)}: { enabled: ${isOn} }`),
  ];
  const detail = `${place.file} is YAML, which hookctl does not edit.`;
  const tryThis = `add to it: ${lines.filter((line) => line !== "").join(" and ")}`;
  return fail({ code: "USAGE_WRONG_WORDS", detail, tryThis });
}

/** Writes the edited settings, unless nothing changed. */
export const writeSwitches = async (edit: SwitchesEdit): Promise<Problem | null> =>
  edit.changed.length === 0 ? null : writeSettings(edit);

/**
 * Edits a settings file while no other process does. A file that exists keeps its mode. Guards that the edit removes from the
 * user's settings are not missed afterwards: who may remove them was asked before.
 */
export async function writeSettings(edit: SettingsPlace & TextEdit): Promise<Problem | null> {
  const { file, root, host, edited, store } = edit;
  const path = followLinks(file);
  const written = await attempt(() =>
    withSettingsLock(host, () =>
      onDisk(file, () => {
        checkWritable(root, path, file);
        const before = unwrap(presentText(path, file));
        const after = unwrap(edited(before));
        const folders = root.kind === "machine" ? makePublicFolder(dirname(path)) : makeFolder(dirname(path));
        writeFileAtomic(path, after, { mode: modeOf(path) });
        noteWrite(path, { before, after, folders }, host);
        return store === null ? null : acceptRemoved({ file, before, after }, store);
      }),
    ),
  );
  return written.ok ? written.value : written.error;
}
