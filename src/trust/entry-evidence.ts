import { statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import type { Evidence } from "../contract/approval.ts";
import type { PlacedEntry } from "../contract/entry.ts";
import { entryText, wordsOf } from "../contract/entry-text.ts";
import { isInside } from "../process/paths.ts";
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
  const folder = dirname(entry.file);
  const named = entry.files.map((file) => resolve(projectDir, file));
  const spoken = wordsOf(entry).map((word) => resolve(folder, word));
  const files = [...new Set([...named, ...spoken.filter((path) => isInside(projectDir, path) && isFile(path))])];
  const gone = Object.keys(before?.files ?? {}).filter((path) => !files.includes(path));
  const hashes = [...files, ...gone].map((path): [string, string] => {
    return [path, hashAgainst(path, before?.files[path] ?? null, trustFile) ?? ""];
  });
  // The entry's own text stands for its hash: it is short, and a rule must not cost a hash function on each call.
  return { realPath, sha256: entryText(entry), mode: 0, owner: 0, helpers: {}, files: Object.fromEntries(hashes) };
}

function isFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
