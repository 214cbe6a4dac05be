import { dirname, resolve } from "node:path";
import { firstBytes } from "../../fs/read-file.ts";
import type { Hook } from "../../protocol/hook.ts";
import { findCommandFiles } from "../../trust/hook-files/command-files.ts";

const READ_BYTES = 256 * 1024;

/** The texts of a hook's program, or of the files that its command names. */
export function hookTexts({ kind, entry, path, projectDir }: Hook): readonly string[] {
  if (kind === "guard") return [];
  const folder = entry === null ? "" : (projectDir ?? dirname(entry.file));
  const files = entry === null ? [path] : findCommandFiles(entry, folder).files.map((name) => resolve(folder, name));
  return files.map((file) => firstBytes(file, READ_BYTES) ?? "");
}
