import { extname } from "node:path";
import { disk } from "../../fs/disk.ts";
import type { FileReader } from "../../fs/read-file.ts";

/** A word in a text that may be a file name. */
export interface FileReference {
  readonly word: string;
  /** The program loads or starts it, so it is covered anywhere in the project. */
  readonly isLoaded: boolean;
  /** It cannot be data either: outside shell scripts `open("./x")` and `run("./x")` look alike. */
  readonly isSurelyLoaded: boolean;
}

/** Replaces a variable or a substitution, whose value is unknown. */
const UNKNOWN = "\ue000";
/** `$(dirname "$0")` and the same in backquotes. */
const SUBSTITUTION = /\$\([^()\n]{1,256}\)|`[^`\n]{1,256}`/g;
const VARIABLE = /\$(?:\w+|\{[^}\n]*\})|\{\w[\w.]*\}/g;
const WITH_SLASH = /[\w.@+~%/-]*\/[\w.@+~%/-]+/g;
const QUOTED = /"([^"\n]{1,256})"|'([^'\n]{1,256})'|`([^`\n]{1,256})`/g;
const INTERPRETERS = "sh|bash|dash|zsh|ksh|python[\\d.]*|pypy[\\d.]*|node|bun|deno|tsx|ts-node|ruby|perl|php|lua";
/** `source lib.sh`, `. "$dir/lib.sh"`, `python3 check.py`. */
const STARTED = new RegExp(
  `(?:^|[\\s;&|(\`{!])(?:\\.|source|exec|${INTERPRETERS})(?:[ \\t]+-[\\w-]+)*[ \\t]+["']?${UNKNOWN}?([\\w.@+~%/-]+)`,
  "gm",
);
/** `require("./x")`, `from "./x.mjs"`, `require_relative "x"`, `use lib "lib"`. */
const REQUIRED =
  /\b(?:require|require_relative|require_once|include|include_once|import|from|load|dofile|use\s+lib)\s*\(?\s*["'`]\ue000?([^"'`\n]{1,256})["'`]/g;
/** A path at the start of a command. */
const COMMAND = new RegExp(
  `(?:^|[;&|({\`]|\\b(?:then|do|else|if|while|until)\\b)[ \\t]*["']?${UNKNOWN}?(\\.{0,2}/[\\w.@+~%/-]+)`,
  "gm",
);

/** Finds words in a program that may be files: paths, quoted words, and what it loads or starts. */
export function findReferences(text: string, isShell: boolean): readonly FileReference[] {
  const plain = text.replace(VARIABLE, UNKNOWN);
  // Both: a substitution begins a path, and it may itself start a program.
  const texts = new Set([plain, plain.replace(SUBSTITUTION, UNKNOWN)]);
  const words = (...patterns: readonly RegExp[]) =>
    new Set(patterns.flatMap((pattern) => [...texts].flatMap((one) => wordsOf(one, pattern))));
  const surely = words(STARTED, REQUIRED, ...(isShell ? [COMMAND] : []));
  const loaded = new Set([...surely, ...words(COMMAND)]);
  const all = new Set([...loaded, ...words(WITH_SLASH, QUOTED)]);
  return [...all].map((word) => ({ word, isLoaded: loaded.has(word), isSurelyLoaded: surely.has(word) }));
}

/** Decides by the first line or the file name. */
export const isShellText = (path: string, text: string): boolean =>
  /^#!.*\b(?:ba|da|z|k|a)?sh\b/.test(text) || [".sh", ".bash", ".zsh"].includes(extname(path));

function wordsOf(text: string, pattern: RegExp): readonly string[] {
  return [...text.matchAll(pattern)].map((match) => afterUnknown(match.slice(1).find(Boolean) ?? match[0]));
}

/** Returns the literal part of `$(dirname "$0")/lib.sh`. */
const afterUnknown = (word: string): string =>
  word.slice(Math.max(word.lastIndexOf(UNKNOWN), word.lastIndexOf(")")) + 1);

/** The fields of a `package.json` that a runtime uses. */
interface PackageFields {
  /** The module format of its `.js` files; null if it is not set. */
  readonly type: string | null;
  /** The entry points, relative to its folder. */
  readonly entries: readonly string[];
}

/** An invalid `package.json` stops a runtime. */
const BROKEN: PackageFields = { type: "cannot be parsed", entries: [] };

export function packageFields(path: string, read: FileReader): PackageFields {
  try {
    const fields: unknown = JSON.parse(readProgramText(path, read) ?? "");
    if (typeof fields !== "object" || fields === null) return BROKEN;
    const field = (name: string): unknown => Object.entries(fields).find(([key]) => key === name)?.[1];
    const type = field("type");
    const entries = ["main", "module", "exports"].flatMap((name) => textsIn(field(name)));
    return { type: typeof type === "string" ? type : null, entries };
  } catch {
    return BROKEN;
  }
}

/** In `exports` the paths are nested in conditions. */
function textsIn(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

/** Longer files are treated as data. */
const MAX_TEXT_BYTES = 1024 * 1024;

/** The text of a program; null if it is too long, binary or cannot be read. */
export function readProgramText(path: string, read: FileReader): string | null {
  try {
    if (disk.statSync(path).size > MAX_TEXT_BYTES) return null;
    const content = read(path);
    const text = content.ok ? (content.value?.toString("latin1") ?? null) : null;
    return text?.slice(0, 512).includes("\0") ? null : text;
  } catch {
    return null;
  }
}
