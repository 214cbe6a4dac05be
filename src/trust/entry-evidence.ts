import { statSync } from "node:fs";
import { isAbsolute, relative, resolve } from "node:path";
import type { Evidence } from "../contract/approval.ts";
import { type PlacedEntry, serverOf } from "../contract/entry.ts";
import { entryText, wordsOf } from "../contract/entry-text.ts";
import { jsonText } from "../contract/json-text.ts";
import { hashOf } from "../disk/content-hash.ts";
import { isInside } from "../disk/paths.ts";
import { entryFolder } from "../disk/working-folder.ts";
import { redactedJson, redactor } from "../record/redact.ts";
import { hashAgainst } from "./kept-texts.ts";

/**
 * What an approval of a declared hook is bound to: the entry itself, and every file of the project among its words or
 * in its `files`. `before` is the approved state, if there is one.
 */
export function entryEvidence(
  entry: PlacedEntry,
  realPath: string,
  projectDir: string,
  { before, trustFile }: { readonly before: Evidence | null; readonly trustFile: string | null },
): Evidence {
  const approved = Object.entries(before?.files ?? {});
  const known = new Map(approved.map(([name]) => [resolve(projectDir, name), name]));
  const names = filesOf(entry, projectDir).map(({ name, path }) => known.get(path) ?? name);
  const expected = new Map(approved);
  const hashes = [...new Set([...names, ...expected.keys()])].map((name): [string, string] => {
    return [name, hashAgainst(resolve(projectDir, name), expected.get(name) ?? null, trustFile) ?? ""];
  });
  // The entry's own text stands for its hash: it is short, and a rule must not cost a hash function on each call.
  return { realPath, sha256: approvedForm(entry), mode: 0, owner: 0, helpers: {}, files: Object.fromEntries(hashes) };
}

interface EntryFile {
  /** Whole where the entry says it so, and means one file for every checkout; else it goes along with the project. */
  readonly name: string;
  readonly path: string;
}

/** What an entry names in `files`, and the files of the project among its words. */
function filesOf(entry: PlacedEntry, projectDir: string): readonly EntryFile[] {
  const folder = entryFolder(entry);
  const fileAt = (path: string, isWhole: boolean): EntryFile => {
    return { path, name: isWhole || !isInside(projectDir, path) ? path : relative(projectDir, path) };
  };
  const spoken = wordsOf(entry)
    .map((word) => fileAt(resolve(folder, word), isAbsolute(word) || isAbsolute(serverOf(entry)?.cwd ?? "")))
    .filter(({ path }) => isInside(projectDir, path) && isFile(path));
  return [...entry.files.map((file) => fileAt(resolve(projectDir, file), isAbsolute(file))), ...spoken];
}

/** The entry as an approval keeps and shows it: a secret of its MCP server stands there as its hash. */
export function approvedForm(entry: PlacedEntry): string {
  if (entry.scheme !== "tool") return entryText(entry);
  const { server } = entry;
  const env = Object.entries(server.env).map(([name, value]): [string, string] => {
    return [name, isSecret(name, value) ? `sha256:${hashOf(value)}` : value];
  });
  return entryText({ ...entry, server: { ...server, env: Object.fromEntries(env) } });
}

function isSecret(name: string, value: string): boolean {
  const written = jsonText({ [name]: value });
  return redactedJson(written, redactor({})) !== written;
}

function isFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
