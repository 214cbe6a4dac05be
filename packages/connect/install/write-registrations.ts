import type { Host } from "../../../src/engine/host.ts";
import { readBundled } from "../../../src/fs/read-bundled.ts";
import type { AgentName, InstallScope } from "../../../src/protocol/agent-names.ts";
import { PROOF } from "../../../src/protocol/exit-code.ts";
import { unwrap } from "../../../src/protocol/result.ts";
import { CONTROL_CHARACTERS } from "../../../src/protocol/text/text.ts";
import type { Registration } from "../../agents/agent-install.ts";
import { AGENT_INSTALLS } from "../../agents/agents.ts";
import { isHookctlModule } from "../../agents/hookctl-module.ts";
import type { ProtectedFormat } from "../../agents/protection.ts";
import type { FileChange } from "../report/install-text.ts";
import { neededRegistrations, type RegistrationRequest } from "./create-registrations.ts";
import { parseSettingsText } from "./find-registrations.ts";
import { companionFiles, formerTarget, type InstallTarget } from "./install-target.ts";
import { type Launcher, planLauncher, writeLauncher } from "./launcher.ts";
import {
  addJsonRegistrations,
  isBareObject,
  notEditable,
  removeChild,
  removeJsonRegistrations,
} from "./settings-file/edit-json.ts";
import { addTomlRegistrations, removeTomlRegistrations } from "./settings-file/edit-toml.ts";
import {
  type Backup,
  presentText,
  readBackup,
  type SettingsUndo,
  textBeforeWrite,
  undoSettingsWrites,
  withSettingsLock,
  writeSettingsFiles,
} from "./settings-file/write-settings-files.ts";

/** The settings file of a text. */
interface SettingsText {
  readonly agent: { readonly name: AgentName };
  readonly format: ProtectedFormat;
  /** The path for messages. */
  readonly shown: string;
  /** Decides on the keys that the file of the whole machine needs. */
  readonly scope?: InstallScope;
}

/** Adds registrations and changes nothing else. Fails for a text that cannot be edited. */
export function addRegistrations(
  text: string,
  { agent: { name }, format, shown, scope }: SettingsText,
  lines: readonly Registration[],
): string {
  const written = AGENT_INSTALLS[name].format;
  if (written.kind === "module") {
    if (text.trim() !== "" && !isHookctlModule(text)) throw notEditable(shown, 1, "hookctl did not write this file");
    return moduleText(name, lines);
  }
  const root = scope === "machine" ? { ...written.root, ...written.machineRoot } : written.root;
  if (format === "toml") return addTomlRegistrations(text, root, lines, shown);
  return addJsonRegistrations(text, { ...written, root }, lines, { agent: name, shown });
}

/** A module for an agent that loads code instead of running commands: it runs the same commands and applies their answers. */
function moduleText(agent: AgentName, lines: readonly Registration[]): string {
  const commands = Object.fromEntries(lines.map(({ event, command }) => [event, command]));
  const common = readBundled("assets/agent-modules/common.txt")
    .replaceAll("__AGENT__", agent)
    .replace("__PROOF__", PROOF)
    .replace("__CONTROL_CHARACTERS__", () => String(CONTROL_CHARACTERS))
    .replace("__LINES__", () => JSON.stringify(commands, null, 2));
  return `${common}${readBundled(`assets/agent-modules/${agent}.txt`)}`;
}

/** Removes registrations. Empty if nothing else is left. Fails for a text that cannot be edited. */
export function withoutRegistrations(
  text: string,
  { agent: { name }, format, shown }: SettingsText,
  before: string | null = null,
): string {
  if (format === "toml") return removeTomlRegistrations(text);
  if (format === "module") return isHookctlModule(text) ? "" : text;
  return removeJsonRegistrations(text, { agent: name, shown }, before ?? "{}");
}

/** The settings without registrations; null if nothing is left and hookctl created the file. */
export function withoutInstall(text: string, target: SettingsText, backup: Backup | null): string | null {
  const registered = withoutRegistrations(text, target, backup?.before);
  if (registered === text) return text;
  const rest = withoutAddedKeys(registered, target, backup);
  const isOurs = target.format === "module" ? rest === "" : backup?.before === null && isBareObject(rest);
  return isOurs ? null : rest;
}

/** The settings without the keys that the agent needs beside its hooks, if `install` added them to the user's file. */
function withoutAddedKeys(text: string, { agent: { name }, format }: SettingsText, backup: Backup | null): string {
  const written = AGENT_INSTALLS[name].format;
  if (format !== "json" || written.kind === "module" || backup === null || backup.before === null) return text;
  const before = parseSettingsText(backup.before, format);
  const added = Object.keys(written.root).filter((key) => !Object.hasOwn(before, key));
  return added.reduce((all, key) => removeChild(all, [key]), text);
}

/** The files that registering hookctl in one agent changes. */
export interface InstallPlan {
  readonly lines: readonly Registration[];
  readonly changes: readonly FileChange[];
  /** Registrations of earlier versions in a file that the agent does not read: they are removed. */
  readonly former: readonly SettingsUndo[];
  /** It is null if the present one starts this hookctl. */
  readonly launcher: Launcher | null;
  /** All of these files. */
  readonly files: readonly FileChange[];
}

/** Decides on every change before the first one is made. */
export async function planInstall(
  target: InstallTarget,
  request: RegistrationRequest,
  host: Host,
): Promise<InstallPlan> {
  const lines = neededRegistrations(target, request);
  const launcher = planLauncher(target, request.program, host);
  const changes = installChanges(target, lines);
  const former = formerInstallUndos(target, host);
  return { lines, changes, former, launcher, files: [...changes, ...former, ...(launcher === null ? [] : [launcher])] };
}

/** The launcher first: no registration may name a file that is not there. */
export async function writeInstall(
  target: InstallTarget,
  { changes, former, launcher }: InstallPlan,
  host: Host,
): Promise<void> {
  if (launcher !== null) writeLauncher(launcher, host);
  await withSettingsLock(host, () => {
    undoSettingsWrites(former, "install", host);
    writeInstallChanges(target, changes, host);
  });
}

/** The settings file and its companion files with the registrations in them. */
export function installChanges(target: InstallTarget, lines: readonly Registration[]): readonly FileChange[] {
  const { file, shown, text: before } = target;
  const after = addRegistrations(before ?? "", target, lines);
  const companions = companionFiles(target).map(({ value, ...path }) => {
    const text = unwrap(presentText(path.file, path.shown));
    return { ...path, before: text, after: text ?? `${JSON.stringify(value, null, 2)}\n` };
  });
  return [{ file, shown, before, after }, ...companions];
}

export function writeInstallChanges(target: InstallTarget, changes: readonly FileChange[], host: Host): void {
  const { root } = target;
  const removeOurs = (text: string, backup: Backup | null) => withoutInstall(text, target, backup);
  const writes = changes.flatMap(({ file, before, after }) =>
    after === null || before === after ? [] : [{ file, root, before, after, removeOurs }],
  );
  writeSettingsFiles(writes, "install", host);
}

/** The undo of the file of earlier versions of hookctl. */
function formerInstallUndos(target: InstallTarget, host: Host): readonly SettingsUndo[] {
  const former = formerTarget(target);
  return former === null ? [] : [installUndo(former, former, host)];
}

function installUndo(
  { file, shown }: Pick<FileChange, "file" | "shown">,
  target: InstallTarget,
  host: Host,
): SettingsUndo {
  const before = unwrap(presentText(file, shown));
  const backup = readBackup(file, host, "install");
  const after = textBeforeWrite(before, backup, (text) =>
    file === target.file ? withoutInstall(text, target, backup) : text,
  );
  return { file, shown, root: target.root, before, after, backup };
}
