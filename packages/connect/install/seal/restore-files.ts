import { dirname, join } from "node:path";
import type { Host } from "../../../../src/engine/host.ts";
import { followLinks, realPathOrSame, statOrNull } from "../../../../src/fs/paths.ts";
import { readIfPresent } from "../../../../src/fs/read-file.ts";
import type { AgentName } from "../../../../src/protocol/agent-names.ts";
import { arrayOr, objectOr, stringOr, type UncheckedObject } from "../../../../src/protocol/json/read.ts";
import { explain } from "../../../../src/protocol/problem-messages/explain.ts";
import { attemptSync } from "../../../../src/protocol/result.ts";
import { formerAddressAgent } from "../../../agents/agent.ts";
import type { Registration } from "../../../agents/agent-install.ts";
import { AGENT_INSTALLS } from "../../../agents/agents.ts";
import {
  type ProtectedEntry,
  type Protection,
  protectionOf,
  settingsIn,
  weakeningText,
} from "../../../agents/protection.ts";
import type { RestoredFile } from "../../report/seal-text.ts";
import { parseSettingsText } from "../find-registrations.ts";
import { changeJsonValue, exchangeJsonEntries } from "../settings-file/edit-json.ts";
import { writeSettingsFiles } from "../settings-file/write-settings-files.ts";
import { addRegistrations, withoutRegistrations } from "../write-registrations.ts";
import { sealWeakenings, type WatchedFile, type WeakenedFile } from "./sealed-files.ts";

/** Merges what was lost into each file. A failed one does not stop the others. */
export const restoreFiles = (files: readonly WeakenedFile[], host: Host): readonly RestoredFile[] =>
  files.map((one) => ({ path: one.file.path, lost: one.lost.map(weakeningText), cause: restoreFile(one, host) }));

function restoreFile({ file, sealed }: WeakenedFile, host: Host): string | null {
  const { path, agent, format, root } = file;
  const managed = whyManaged(file);
  if (managed !== null) return managed;
  const read = readIfPresent(path);
  if (!read.ok) return read.error;
  const before = read.value?.toString("utf8") ?? null;
  const merged = attemptSync(() => restoredText(before ?? "", file, sealed));
  const after = merged.ok ? merged.value : null;
  if (after === null || sealWeakenings(agent, sealed, protectionOf(agent, after, format)).length > 0)
    return "it cannot be merged: edit the file by hand, or reinstall hookctl for that agent";
  const removeOurs = (text: string): string => {
    const rest = attemptSync(() => withoutRegistrations(text, settingsText(file)));
    return rest.ok ? rest.value : text;
  };
  const write = { file: path, root, before, after, removeOurs };
  const written = attemptSync(() => writeSettingsFiles([write], "install", host));
  return written.ok ? null : explain(written.error).summary;
}

const settingsText = ({ agent, format, path }: WatchedFile) => ({ agent: { name: agent }, format, shown: path });

/** A manager of dotfiles keeps the content elsewhere, and would bring it back: a link, or a second name of the file. */
function whyManaged({ path, base }: WatchedFile): string | null {
  // A variable of the agent may lead out of the home directory. Folders above may be links: a home on another disk.
  const above = base !== null && path.startsWith(`${base}/`) ? base : dirname(dirname(path));
  const target = followLinks(path);
  if (target !== join(realPathOrSame(above), path.slice(above.length)))
    return `a link leads to ${target}: change it there, or where that file comes from`;
  const isShared = (statOrNull(path)?.nlink ?? 1) > 1;
  return isShared ? "the file has a second name (hard link): change it where it comes from" : null;
}

/** The text with what protected when it was sealed. Nothing else changes; null if it cannot be merged. */
function restoredText(text: string, file: WatchedFile, sealed: Protection): string | null {
  const { agent, format } = file;
  if (format === "module") return moduleOf(sealed.entries[0]);
  const now = protectionOf(agent, text, format);
  const required = sealed.required.filter((one) => !now.required.includes(one) && !one.includes("={"));
  const changes: readonly (readonly [path: readonly string[], value: unknown])[] = [
    ...now.disabling.filter((key) => !sealed.disabling.includes(key)).map((key) => [key.split("."), ENABLED] as const),
    ...Object.keys(now.environment)
      .filter((name) => now.environment[name] !== sealed.environment[name])
      .flatMap((name) => VARIABLES.map((path) => [[...path, name], parsed(sealed.environment[name])] as const)),
    // A key that is not there at all is added with the entries.
    ...required.map((one) => [[one.slice(0, one.indexOf("="))], parsed(one.slice(one.indexOf("=") + 1))] as const),
  ];
  const complete = changes.reduce((all, [path, value]) => changed(all, path, format, value), text);
  const lost = sealed.entries.filter((entry) => !now.entries.some((one) => isSame(one, entry)));
  if (lost.length === 0 && required.length === 0) return complete;
  if (format === "toml") return addRegistrations(complete, settingsText(file), sealed.entries.map(lineOf));
  const entries = sealed.entries
    .filter(({ event }) => lost.some((entry) => entry.event === event))
    .map((entry) => ({ on: entry.event, value: entryOf(entry, agent) }));
  return exchangeJsonEntries(addRegistrations(complete, settingsText(file), []), entries, { agent, shown: file.path });
}

const isSame = (one: ProtectedEntry, other: ProtectedEntry): boolean =>
  one.event === other.event && one.command === other.command && one.options === other.options;

const moduleOf = (entry: ProtectedEntry | undefined): string | null =>
  entry === undefined ? null : stringOr(optionsOf(entry).module) || null;

const optionsOf = ({ options }: ProtectedEntry) => objectOr(JSON.parse(options));

/** The entry as the agent reads it. */
function entryOf(entry: ProtectedEntry, agent: AgentName): UncheckedObject {
  const { around, position, type, ...options } = optionsOf(entry);
  const call = formerAddressAgent(entry.command) === null ? { command: entry.command } : { url: entry.command };
  const handler = { ...(type === undefined ? {} : { type }), ...call, ...options };
  const { format } = AGENT_INSTALLS[agent];
  const isGrouped = format.kind === "settings" && Array.isArray(format.entry(lineOf(entry)).hooks);
  return isGrouped ? { ...objectOr(around), hooks: [handler] } : handler;
}

function lineOf(entry: ProtectedEntry): Registration {
  const { timeout } = optionsOf(entry);
  const timeoutMs = typeof timeout === "number" ? timeout * 1000 : 0;
  return { event: entry.event, command: entry.command, timeoutMs, failClosed: entry.command.includes("--fail-closed") };
}

/** The settings in which agents have variables for hooks. */
const VARIABLES = [["env"], ["environment"], ["shell_environment_policy", "set"]];

const parsed = (json: string | undefined): unknown => (json === undefined ? undefined : JSON.parse(json));

/** Stands for whatever value no longer disables hooks. */
const ENABLED = Symbol("enabled");

/** Sets a value. A list loses only the items that name hookctl. */
function changed(text: string, path: readonly string[], format: WatchedFile["format"], value: unknown): string {
  const now = path.reduce<unknown>((inner, key) => objectOr(inner)[key], parseSettingsText(text, format));
  if (now === undefined) return text;
  const left = arrayOr(now).filter((one) => !String(one).includes("hookctl"));
  const enabled = now === false ? true : undefined;
  const after = left.length > 0 ? left : value === ENABLED ? enabled : value;
  return format === "toml" ? withoutTomlLine(text, path) : changeJsonValue(text, [...path], after);
}

/** Removes the one line that sets a key; unchanged if it is not one line. */
function withoutTomlLine(text: string, path: readonly string[]): string {
  const expected = parseSettingsText(text, "toml");
  const parent = path.slice(0, -1).reduce((inner, key) => objectOr(inner[key]), expected);
  const name = path.at(-1) ?? "";
  Reflect.deleteProperty(parent, name);
  const wanted = JSON.stringify(expected);
  const lines = text.split("\n");
  const texts = lines.flatMap((line, at) => (line.includes(name) ? [lines.toSpliced(at, 1).join("\n")] : []));
  const isWanted = (one: string): boolean => {
    const { settings, readable } = settingsIn(one, "toml");
    return readable !== "no" && JSON.stringify(settings) === wanted;
  };
  return texts.find(isWanted) ?? text;
}
