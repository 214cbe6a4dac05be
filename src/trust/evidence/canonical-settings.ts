import { relative } from "node:path";
import type { ResolvedEntry } from "../../protocol/entry.ts";
import { itemsOf, membersOf, readJson } from "../../protocol/json/read.ts";
import { type JsonValue, jsonText, rawJson } from "../../protocol/json/write.ts";
import type { ScopeSettings } from "../../protocol/settings.ts";
import { canonicalEntry } from "./entry-evidence.ts";

/**
 * A project's settings in one form, whatever the order of their keys and the spelling of the file: what an approval of
 * them is bound to, and what applies after a change that nobody approved. Secrets of MCP servers stand there as hashes.
 */
export function canonicalSettings(
  { settings, overrides, entries }: ScopeSettings,
  file: string,
  folder: string,
): string {
  return jsonText({
    file: relative(folder, file),
    settings: sorted(settings),
    overrides: sorted(overrides),
    hooks: entries.map((entry) => rawJson(canonicalEntry(entry))),
  });
}

/** Settings as they were approved. */
export interface ApprovedSettings extends ScopeSettings {
  /** The approved form of each entry. */
  readonly forms: readonly string[];
  /** The file that the entries stand in, where the text does not tell. */
  readonly file?: string;
}

/** What an approved text says. It was written by `settingsText` and read from a store that nobody else may write. */
export function parseCanonicalSettings(text: string): ApprovedSettings {
  const { settings, overrides, hooks } = JSON.parse(text) as Omit<ScopeSettings, "entries"> & {
    readonly hooks: readonly ResolvedEntry[];
  };
  const read = readJson(text, Number.POSITIVE_INFINITY);
  const list = read.ok ? membersOf(read.value).get("hooks") : undefined;
  return { settings, overrides, entries: hooks, forms: list === undefined ? [] : itemsOf(list).map(({ raw }) => raw) };
}

/** True if there is nothing in it that an approval would allow. */
export const isEmptySettings = ({ settings, overrides, entries }: ScopeSettings): boolean =>
  entries.length + Object.keys(settings).length + Object.keys(overrides).length === 0;

/** The same for somebody who reads it. */
export const settingsForReview = (text: string): string =>
  text === "" ? "" : JSON.stringify(JSON.parse(text), null, 2);

function sorted(value: unknown): JsonValue {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value as JsonValue;
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(members.map(([key, item]) => [key, sorted(item)]));
}
