import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Evidence, Ledger } from "../contract/approval.ts";
import type { Candidate } from "../contract/hook.ts";
import { realOrSame } from "../process/paths.ts";
import { entryEvidence } from "./entry-evidence.ts";
import { type FolderFile, filesBelow, mayBeDrawnIn } from "./hooks-folder.ts";
import { hashAgainst } from "./kept-texts.ts";

/** What decides which of the files beside a hook are hooks themselves. */
export interface Beside {
  readonly ledger: Ledger;
  /** Names that count as hooks although the ledger does not know them: those approved in the same breath, or before. */
  readonly siblings: readonly string[];
  /** The approved state, to compare with: a helper of then counts whatever its name is. */
  readonly before: Evidence | null;
  /** Where copies of approved content are kept; null: nowhere. */
  readonly trustFile: string | null;
}

/** Looks at a project hook as it lies there now. Null: its folder holds too many files to vouch for. */
export function evidenceOf(
  candidate: Candidate,
  projectDir: string,
  beside: Beside,
  files: readonly string[],
): Evidence | null {
  if (candidate.entry !== null) return entryEvidence(candidate.entry, candidate.realPath, projectDir, beside);
  const helpers = helpersOf(candidate, beside);
  if (helpers === null) return null;
  return {
    realPath: candidate.realPath,
    sha256: hashAgainst(candidate.realPath, beside.before?.sha256 ?? null, beside.trustFile),
    mode: candidate.stamp.mode & 0o7777,
    owner: candidate.stamp.owner,
    helpers,
    files: hashes(
      files.map((name) => ({ name, path: join(projectDir, name) })),
      beside,
      "files",
    ),
  };
}

function helpersOf(candidate: Candidate, beside: Beside): Record<string, string> | null {
  const all = filesBelow(dirname(candidate.path));
  if (all === null) return null;
  const text = textOf(candidate.realPath);
  const helpers = all
    .filter((file) => file.path !== candidate.path && !isHook(file, beside))
    .filter((file) => own(beside.before?.helpers ?? {}, file.name) !== undefined || mayBeDrawnIn(file, text));
  return hashes(helpers, beside, "helpers");
}

/** Name -> SHA-256; an empty text for a file that cannot be read. */
function hashes(
  files: readonly Pick<FolderFile, "name" | "path">[],
  { before, trustFile }: Beside,
  of: "helpers" | "files",
): Record<string, string> {
  const known = before?.[of] ?? {};
  return Object.fromEntries(
    files.map(({ name, path }) => [name, hashAgainst(path, own(known, name) ?? null, trustFile) ?? ""]),
  );
}

function isHook(file: FolderFile, { ledger, siblings }: Beside): boolean {
  return siblings.includes(file.name) || Object.hasOwn(ledger.approvals, realOrSame(file.path));
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return "";
  }
}

/** What differs from the approved state, in words; nothing when it is the very same. */
export function changesSince(approved: Evidence, now: Evidence): readonly string[] {
  return [
    ...(approved.realPath === now.realPath ? [] : ["it leads elsewhere"]),
    ...(approved.sha256 !== null && approved.sha256 === now.sha256 ? [] : ["its content"]),
    ...(approved.mode === now.mode ? [] : [`its mode (${approved.mode.toString(8)} → ${now.mode.toString(8)})`]),
    ...(approved.owner === now.owner ? [] : ["its owner"]),
    ...differingFiles(approved.helpers, now.helpers, "the helper"),
    ...differingFiles(approved.files, now.files, "the file"),
  ];
}

function differingFiles(before: Evidence["helpers"], now: Evidence["helpers"], what: string): readonly string[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(now)])].sort();
  return names.flatMap((name) => {
    const [was, is] = [own(before, name), own(now, name)];
    if (was === is && is !== "") return [];
    const how = was === undefined ? " (new)" : is === undefined || is === "" ? " (gone)" : "";
    return [`${what} ${name}${how}`];
  });
}

const own = (record: Evidence["helpers"], name: string): string | undefined =>
  Object.hasOwn(record, name) ? record[name] : undefined;
