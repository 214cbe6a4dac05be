import { dirname, relative, resolve } from "node:path";
import { fileSha256, sha256Of } from "../../fs/hash.ts";
import type { LocatedEntry, ResolvedEntry } from "../../protocol/entry.ts";
import type { GuardsSettings } from "../../protocol/guard-settings.ts";
import type { Candidate } from "../../protocol/hook.ts";
import { itemsOf, membersOf, readJson } from "../../protocol/json/read.ts";
import { type JsonValue, jsonText, rawJson } from "../../protocol/json/write.ts";
import type { ScopeSettings } from "../../protocol/settings-file.ts";
import { filesBelow, isMarkdown } from "../hook-files/files-below.ts";
import { canonicalEntry } from "./canonical-entry.ts";
import { computeEvidence, type EvidenceContext, withoutApproval } from "./evidence.ts";

/**
 * A project's settings as canonical text, independent of key order and formatting. An approval is bound to this text, and
 * after a change that is not approved the settings in it still apply. Secrets of MCP servers are replaced by hashes.
 */
export function canonicalSettings(
  { settings, overrides, guards, rules, guard_rules, entries }: ScopeSettings,
  file: string,
  folder: string,
): string {
  return jsonText({
    file: relative(folder, file),
    settings: sorted(settings),
    overrides: sorted(overrides),
    // Left out where there are none, so that earlier approvals stay valid.
    ...(Object.keys(guards).length === 0 ? {} : { guards: sorted(guards) }),
    ...(rules === undefined ? {} : { rules: sorted(rules) }),
    ...(guard_rules === undefined ? {} : { guard_rules: sorted(guard_rules) }),
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
    rules,
    guard_rules,
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
    ...(rules && { rules }),
    ...(guard_rules && { guard_rules }),
    entries: hooks,
    forms: list === undefined ? [] : itemsOf(list).map(({ raw }) => raw),
  };
}

/** True if there is nothing to approve. */
export const isEmptySettings = ({ settings, overrides, guards, rules, guard_rules, entries }: ScopeSettings): boolean =>
  rules === undefined &&
  guard_rules === undefined &&
  entries.length + Object.keys(guards).length + Object.keys(settings).length + Object.keys(overrides).length === 0;

/** Formats the canonical text for a person. */
export const settingsForReview = (text: string): string => JSON.stringify(JSON.parse(text), null, 2);

function sorted(value: unknown): JsonValue {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value as JsonValue;
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(members.map(([key, item]) => [key, sorted(item)]));
}

/**
 * One hash over the hooks folders (content and execute bit of each file) and the declared entries with their files. The
 * project's path is not part of it, so the same checkout has the same digest on every machine. Files that an executable
 * lists in `files` are not covered, because it would have to be started to know them. Null if there are too many files.
 */
export function projectDigest(candidates: readonly Candidate[], projectDirs: readonly string[]): string | null {
  const [projectDir = "/"] = projectDirs;
  const found = candidates.filter(({ entry, settings }) => entry === null && settings === undefined);
  const folders = [...new Set(found.map(({ path }) => dirname(path)))].sort();
  const lines: string[] = [];
  const context = withoutApproval();
  for (const candidate of candidates) {
    const { entry, settings } = candidate;
    const own = entry === null ? [] : entryLines(candidate, entry, projectDir, context);
    if (own === null) return null;
    lines.push(...(settings === undefined ? own : [settings]));
  }
  for (const folder of folders) {
    const files = filesBelow(folder);
    if (files === null) return null;
    for (const file of files) {
      const { path, isExecutable } = file;
      if (!isMarkdown(file) || isExecutable)
        lines.push([relative(projectDir, path), isExecutable, fileSha256(path)].join("\0"));
    }
  }
  return `sha256:${sha256Of(lines.sort().join("\n"))}`;
}

function entryLines(
  candidate: Candidate,
  entry: LocatedEntry,
  projectDir: string,
  context: EvidenceContext,
): readonly string[] | null {
  const evidence = computeEvidence(candidate, context, []);
  if (evidence === null) return null;
  const { sha256, files, helpers } = evidence;
  const lineOf = (folder: string, [file, hash]: readonly [string, string]): string =>
    [relative(projectDir, resolve(folder, file)), hash].join("\0");
  return [
    [relative(projectDir, entry.file), sha256].join("\0"),
    ...Object.entries(files).map((file) => lineOf(projectDir, file)),
    ...Object.entries(helpers).map((file) => lineOf(dirname(entry.file), file)),
  ];
}
