import { basename, dirname, join, relative } from "node:path";
import { entryProgram } from "../../protocol/entry.ts";
import type { Candidate } from "../../protocol/hook.ts";
import { packOfSettings } from "../../protocol/pack-settings.ts";
import { type FolderFile, filesBelow, isMarkdown } from "../hook-files/files-below.ts";
import { hashNamedFiles } from "./evidence.ts";

type Hashes = Readonly<Record<string, string>>;

/** Each is read again at every call. A plugin with more files is covered by those that its hooks load. */
const MOST_FILES = 500;

/**
 * The files below the hooks folder of a project's plugin: it was written elsewhere and is approved as a whole, whatever
 * names its hooks build at run time. Not its other hooks, which are approved by themselves, and not what hooks write.
 */
export function hashPluginFiles(hook: Candidate, helpers: Hashes): Hashes {
  const { projectDir } = hook;
  const folder = hooksFolderOf(hook);
  if (folder === null || projectDir === null) return {};
  const files = filesBelow(folder)?.filter((file) => isPart(file) && !Object.hasOwn(helpers, file.name)) ?? [];
  if (files.length > MOST_FILES) return {};
  return hashNamedFiles(
    files.map((file) => relative(projectDir, file.path)),
    projectDir,
  );
}

/** The hooks folder of the plugin that starts a program of its own; null: it is no such hook. */
function hooksFolderOf({ source, path, projectDir, entry }: Candidate): string | null {
  if (source === "project-plugin") return dirname(path);
  if (projectDir === null || entry === null || entryProgram(entry).length === 0) return null;
  return packOfSettings(projectDir, entry.file) === null ? null : join(dirname(entry.file), "hooks");
}

const WRITTEN = /(?:^|\/)(?:node_modules|__pycache__|\.[^/]*)(?:\/|$)|\.(?:log|jsonl|ndjson)$/i;

const isPart = (file: FolderFile): boolean =>
  !isMarkdown(file) && !WRITTEN.test(file.name) && !(file.isExecutable && file.name === basename(file.path));
