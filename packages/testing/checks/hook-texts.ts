import { dirname, resolve } from "node:path";
import { firstBytes } from "../../../src/fs/read-file.ts";
import type { Hook } from "../../../src/protocol/hook.ts";
import { findCommandFiles } from "../../../src/trust/hook-files/command-files.ts";

const READ_BYTES = 256 * 1024;

/** The texts of a hook's program, or of the files that its command names. */
export function hookTexts({ kind, entry, path, projectDir }: Hook): readonly string[] {
  if (kind === "guard") return [];
  const folder = entry === null ? "" : (projectDir ?? dirname(entry.file));
  const files = entry === null ? [path] : findCommandFiles(entry, folder).files.map((name) => resolve(folder, name));
  return files.map((file) => firstBytes(file, READ_BYTES) ?? "");
}

/**
 * True for a fail-closed hook, a rule that blocks, and a program whose text contains the words of a block; binary files
 * are not read.
 */
export function mayBlock(hook: Hook): boolean {
  const { kind, entry, failOpen } = hook;
  if (kind === "guard" || !failOpen || entry?.scheme === "block" || entry?.scheme === "ask") return true;
  return hookTexts(hook).some((text) => BLOCKS.test(text));
}

/** A block in any dialect: `"blocked": true`, `{ blocked: isBad }`, `"decision": "deny"`, `{"Reject": …}`, `block("…")`. */
const BLOCKS = /\bblocked\b["'\\]*\s*[:=]\s*[^\sfF]|["'](?:block|deny|ask|halt|Reject)["'\\]|\b(?:block|ask)\(/;
