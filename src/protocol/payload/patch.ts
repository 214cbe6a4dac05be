import { ownValue } from "../own-value.ts";

/** A file operation of a patch. */
export interface PatchOperation {
  readonly kind: "add" | "update" | "delete";
  readonly path: string;
  /** The new path of a moved file. */
  readonly to: string | null;
  /** The lines below its header as they are written, with `+`, `-` or a space before each. */
  readonly lines: readonly string[];
}

/** As the agents' parsers trim a line: they take all of Unicode's white space. */
const trimmed = (line: string): string => line.replace(/^[\s\u0085]+|[\s\u0085]+$/g, "");

const HEADER = /^\*\*\* (Add File|Update File|Delete File|Move to):\s*(.+)$/;
const KINDS: Readonly<Record<string, PatchOperation["kind"]>> = {
  "Add File": "add",
  "Update File": "update",
  "Delete File": "delete",
};

/** True if the text holds a patch of `apply_patch` or a unified diff, wherever it begins. */
export const isPatch = (text: string): boolean =>
  (text.includes("*** ") && /^[\s\u0085]*\*\*\* (?:Begin Patch|(?:Add|Update|Delete) File:)/m.test(text)) ||
  (text.includes("+++ ") && /^--- \S.*\r?\n\+\+\+ \S/m.test(text)) ||
  /^rename from .+\r?\nrename to ./m.test(text);

/**
 * The file operations of all patches in a text. Headers are read as leniently as any agent reads them, with white space
 * around them; a line in the middle of a file that looks like a header is one, too.
 */
export function patchOperations(text: string): readonly PatchOperation[] {
  if (!isPatch(text)) return [];
  const lines = text.split(/\r\n|[\n\r\u2028\u2029]/);
  const found = operationsIn(lines);
  return found.length > 0 ? found : diffOperations(lines);
}

type Open = { -readonly [K in keyof PatchOperation]: PatchOperation[K] } & { lines: string[] };

function operationsIn(lines: readonly string[]): readonly PatchOperation[] {
  const found: Open[] = [];
  for (const line of lines) {
    const text = trimmed(line);
    const [, name = "", path = ""] = HEADER.exec(text) ?? [];
    const kind = ownValue(KINDS, name);
    const last = found.at(-1);
    if (kind !== undefined) found.push({ kind, path: trimmed(path), to: null, lines: [] });
    else if (name !== "" && last !== undefined) last.to = trimmed(path);
    else if (!/^\*\*\* (?:Begin|End) /.test(text)) last?.lines.push(line);
  }
  return found;
}

const DIFF_NAME = /^(?:---|\+\+\+) (?:"?[abiwco]\/)?([^\t"]+)/;
/** git quotes a name with other characters as C does: `"a/caf\303\251"`. */
function nameIn(line: string): string {
  const name = DIFF_NAME.exec(line)?.[1]?.trim() ?? "";
  if (!name.includes("\\")) return name;
  const bytes = name.replace(/\\([0-3][0-7]{2})/g, (_, code) => String.fromCharCode(Number.parseInt(code, 8)));
  return Buffer.from(bytes, "latin1").toString("utf8");
}

function diffOperations(lines: readonly string[]): readonly PatchOperation[] {
  const found: Open[] = [];
  for (const [at, line] of lines.entries()) {
    const next = lines[at + 1] ?? "";
    const isHeader = line.startsWith("--- ") && next.startsWith("+++ ");
    if (line.startsWith("rename from ") && next.startsWith("rename to "))
      found.push({ kind: "update", path: line.slice(12).trim(), to: next.slice(10).trim(), lines: [] });
    else if (isHeader) found.push(...diffHeader(nameIn(line), nameIn(next)));
    else if (!line.startsWith("+++ ")) found.at(-1)?.lines.push(line);
  }
  return found;
}

function diffHeader(before: string, after: string): readonly Open[] {
  if (after === "/dev/null") return [{ kind: "delete", path: before, to: null, lines: [] }];
  if (before === "/dev/null") return [{ kind: "add", path: after, to: null, lines: [] }];
  return [{ kind: "update", path: before, to: before === after ? null : after, lines: [] }];
}
