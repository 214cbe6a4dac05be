import { join } from "node:path";
import { readOwnFile } from "../fs/permissions.ts";
import { writeFileAtomic } from "../fs/write-file.ts";
import type { ConfigProblem } from "../protocol/problem.ts";
import type { ScopeSettings } from "../protocol/settings.ts";
import { type ConfigScope, type FileState, fileState } from "./config-files.ts";

/** One settings file after parsing and checking: data, or what is wrong with it. */
export interface CompiledFile {
  readonly scope: ConfigScope;
  /** The project's folder; empty for the user. */
  readonly folder: string;
  /** Null: there is none. */
  readonly file: string | null;
  /** It is there and holds nothing: what a full disk leaves of a file. */
  readonly isBlank: boolean;
  readonly data: ScopeSettings;
  readonly problem: ConfigProblem | null;
}

/** The settings files of one call: the plans of each project folder, outermost first, then the user's. */
export interface CompiledSettings {
  readonly files: readonly CompiledFile[];
  /** Shared files whose hooks are not for us, or that cannot be read: nothing of them counts. Each has a problem. */
  readonly ignoredFiles: readonly CompiledFile[];
  /** Files that were read beside the settings files, for what those name. */
  readonly alsoRead: readonly FileState[];
}

interface CachedSettings {
  readonly version: number;
  /** Every input with its state, absent ones included: a new file makes the plan stale as surely as an edit. */
  readonly inputs: readonly FileState[];
  /** As JSON text, and its checksum: a plan is used unchecked, so a damaged one must not pass for one. */
  readonly plan: string;
  readonly sum: string;
}

const VERSION = 11;

/** For a program that asks often: the plan that was read last, and the states it was made from. */
let lastRead: { readonly folder: string; readonly inputs: string; readonly plan: CompiledSettings } | null = null;

/** The plan compiled earlier, if all its inputs are still as they were. */
export function readCachedSettings(folder: string, inputs: CachedSettings["inputs"]): CompiledSettings | null {
  const states = JSON.stringify(inputs);
  if (lastRead?.folder === folder && lastRead.inputs === states && isCurrent(lastRead.plan)) return lastRead.plan;
  const plan = readPlan(folder, inputs, states);
  if (plan !== null) lastRead = { folder, inputs: states, plan };
  return plan;
}

/** Files that were read beside the settings, such as an mcp.json, are as they were. */
const isCurrent = ({ alsoRead }: CompiledSettings): boolean =>
  alsoRead.every(([path, state]) => fileState(path) === state);

function readPlan(folder: string, inputs: CachedSettings["inputs"], states: string): CompiledSettings | null {
  try {
    const file = fileFor(folder, inputs);
    const stored = JSON.parse(readOwnFile(file)) as CachedSettings;
    const isSame = stored.version === VERSION && JSON.stringify(stored.inputs) === states;
    if (!isSame || checksum(stored.plan) !== stored.sum) return null;
    const plan = JSON.parse(stored.plan) as CompiledSettings;
    return isCurrent(plan) ? plan : null;
  } catch {
    return null;
  }
}

/** Keeps a plan for the next call. Without a place to keep it the files are parsed again each time. */
export function writeCachedSettings(
  folder: string,
  inputs: CachedSettings["inputs"],
  compiled: CompiledSettings,
): void {
  const file = fileFor(folder, inputs);
  const plan = JSON.stringify(compiled);
  const stored: CachedSettings = { version: VERSION, inputs, plan, sum: checksum(plan) };
  try {
    writeFileAtomic(file, JSON.stringify(stored));
  } catch {
    // Read-only or full: slower, not wrong.
  }
}

/** One file for each set of places; two sets that share a name only overwrite each other's plan. */
function fileFor(folder: string, inputs: CachedSettings["inputs"]): string {
  return join(folder, `plan-${checksum(inputs.map(([path]) => path).join("\n"))}.json`);
}

/** FNV-1a: node:crypto would cost more to load than the plan saves. */
function checksum(text: string): string {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return (hash >>> 0).toString(16).padStart(8, "0");
}
