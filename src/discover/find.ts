import { isUtf8 } from "node:buffer";
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Candidate, Skip, SkipReason, Source } from "../contract/hook.ts";
import { SKIP_REASONS } from "../contract/hook.ts";
import { placeError } from "../contract/place-error.ts";
import type { Warning } from "../contract/warning.ts";
import { realOrSame } from "../process/paths.ts";
import { classify } from "./classify.ts";

const CANDIDATE_LIMIT = 1000;

/** A folder to look into, and what the names of its files begin with. */
export interface HookFolder {
  readonly path: string;
  readonly source: Source;
  readonly prefix: string;
}

export interface Found {
  readonly candidates: readonly Candidate[];
  readonly skipped: readonly Skip[];
  readonly searched: readonly string[];
  readonly warnings: readonly Warning[];
}

/** The first door: looks at names and modes in each folder, in order. Opens nothing but regular files, runs nothing. */
export function findCandidates(folders: readonly HookFolder[]): Found {
  const found = folders.map(lookInto);
  return {
    candidates: found.flatMap((one) => one.candidates),
    skipped: found.flatMap((one) => one.skipped),
    searched: folders.map((folder) => folder.path),
    warnings: found.flatMap((one) => one.warnings),
  };
}

/** A scope's own hooks folder, then those of its plugins (`org@repo` -> the prefix `org/repo/`). */
export function foldersOf(scope: "project" | "user", root: string): readonly HookFolder[] {
  const plugins = join(root, ".kodelet", "plugins");
  const names = entriesOf(plugins).files.flatMap(({ name }) => (/^[^@]+@[^@]+$/.test(name) ? [name] : []));
  return [
    { path: join(root, ".kodelet", "hooks"), source: scope, prefix: "" },
    ...names.map(
      (name): HookFolder => ({
        path: join(plugins, name, "hooks"),
        source: `${scope}-plugin`,
        prefix: `${name.replace("@", "/")}/`,
      }),
    ),
  ];
}

function lookInto(folder: HookFolder, index: number): Omit<Found, "searched"> {
  const { files, notUtf8, problem } = entriesOf(folder.path);
  if (problem !== null) return { candidates: [], skipped: [], warnings: [problem] };
  const realFolder = files.length === 0 ? folder.path : realOrSame(folder.path);
  const candidates: Candidate[] = [];
  const skipped: Skip[] = notUtf8.map((name) => skip(folder, name, "name_not_utf8"));
  for (const { name, isLink } of files) {
    const path = `${folder.path}/${name}`;
    // Only links are resolved one by one: the folder's own way is the same for all its files.
    const kind = classify(path, name, isLink ? null : `${realFolder}/${name}`);
    if (typeof kind === "string") skipped.push(skip(folder, name, kind));
    else if (candidates.length >= CANDIDATE_LIMIT) skipped.push(skip(folder, name, "too_many"));
    else candidates.push({ ...kind, name: folder.prefix + name, path, source: folder.source, folder: index });
  }
  const isOver = skipped.some((one) => one.reason === "too_many");
  return {
    candidates,
    skipped,
    warnings: isOver ? [{ code: "TOO_MANY_FILES", path: folder.path, limit: CANDIDATE_LIMIT }] : [],
  };
}

const skip = (folder: HookFolder, name: string, reason: SkipReason): Skip => ({
  name: folder.prefix + name,
  path: join(folder.path, name),
  reason,
  detail: SKIP_REASONS[reason],
});

interface Entries {
  /** In byte order. */
  readonly files: readonly { readonly name: string; readonly isLink: boolean }[];
  readonly notUtf8: readonly string[];
  readonly problem: Warning | null;
}

const NOTHING: Entries = { files: [], notUtf8: [], problem: null };

function entriesOf(path: string): Entries {
  try {
    // Asked first: most folders are not there, and a thrown error costs more than a look.
    if (statSync(path, { throwIfNoEntry: false }) === undefined) return NOTHING;
    const entries = readdirSync(path, { encoding: "buffer", withFileTypes: true });
    const files = entries.filter(({ name }) => isUtf8(name));
    const odd = entries.filter(({ name }) => !isUtf8(name));
    return {
      files: files
        .sort((a, b) => Buffer.compare(a.name, b.name))
        .map((entry) => ({ name: entry.name.toString("utf8"), isLink: entry.isSymbolicLink() })),
      notUtf8: odd.map(({ name }) => name.toString("latin1")),
      problem: null,
    };
  } catch (error) {
    const code = placeError(error);
    // `.kodelet` itself is a file: then there is no folder either.
    if (code === "ENOTDIR" && !existsSync(path)) return NOTHING;
    return { ...NOTHING, problem: { code: "FOLDER_UNREADABLE", path, cause: code } };
  }
}
