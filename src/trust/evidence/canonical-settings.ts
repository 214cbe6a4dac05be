import { relative } from "node:path";
import type { ResolvedEntry } from "../../protocol/entry.ts";
import type { GuardsSettings } from "../../protocol/guard-settings.ts";
import { itemsOf, membersOf, readJson } from "../../protocol/json/read.ts";
import { type JsonValue, jsonText, rawJson } from "../../protocol/json/write.ts";
import type { ScopeSettings } from "../../protocol/setting-rows.ts";
import { canonicalEntry } from "./entry-evidence.ts";

/**
 * A project's settings as canonical text, independent of key order and formatting. An approval is bound to this text, and
 * after a change that is not approved the settings in it still apply. Secrets of MCP servers are replaced by hashes.
 */
export function canonicalSettings(
  { settings, overrides, guards, entries }: ScopeSettings,
  file: string,
  folder: string,
): string {
  return jsonText({
    file: relative(folder, file),
    settings: sorted(settings),
    overrides: sorted(overrides),
    // Left out where there are none, so that earlier approvals stay valid.
    ...(Object.keys(guards).length === 0 ? {} : { guards: sorted(guards) }),
    hooks: entries.map((entry) => rawJson(canonicalEntry(entry))),
  });
}

/** Settings as they were approved. */
export interface ApprovedSettings extends ScopeSettings {
  /** The canonical text of each entry. */
  readonly forms: readonly string[];
  /** The file of the entries, if the text does not name it. */
  readonly file?: string;
}

/** Parses text that `canonicalSettings` wrote. It is not validated, because it comes from a store that only the user can write. */
export function parseCanonicalSettings(text: string): ApprovedSettings {
  const {
    settings,
    overrides,
    guards = {},
    hooks,
  } = JSON.parse(text) as Omit<ScopeSettings, "entries" | "guards"> & {
    readonly guards?: GuardsSettings;
    readonly hooks: readonly ResolvedEntry[];
  };
  const read = readJson(text, Number.POSITIVE_INFINITY);
  const list = read.ok ? membersOf(read.value).get("hooks") : undefined;
  return {
    settings,
    overrides,
    guards,
    entries: hooks,
    forms: list === undefined ? [] : itemsOf(list).map(({ raw }) => raw),
  };
}

/** True if there is nothing to approve. */
export const isEmptySettings = ({ settings, overrides, guards, entries }: ScopeSettings): boolean =>
  entries.length + Object.keys(guards).length + Object.keys(settings).length + Object.keys(overrides).length === 0;

/** Formats the canonical text for a person. */
export const settingsForReview = (text: string): string =>
  text === "" ? "" : JSON.stringify(JSON.parse(text), null, 2);

function sorted(value: unknown): JsonValue {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value as JsonValue;
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(members.map(([key, item]) => [key, sorted(item)]));
}
