import { attempt, ProblemError } from "../../src/protocol/result.ts";
import { fetchGitPack, fetchGitTags } from "./fetch-git.ts";
import { fetchNpmPack, fetchNpmVersions } from "./fetch-npm.ts";
import { compareFiles, type LockedPack, marksOf } from "./lock.ts";
import { type Pack, type Pin, sourceText, type WantedPack } from "./pack.ts";
import { checkedPack, readFolderPack } from "./pack-files.ts";
import type { FetchContext } from "./run-program.ts";
import { newerThan } from "./version.ts";

/** Fetches a pack into memory and checks it. Nothing is run or written. Throws a `PackProblem`. */
export const fetchPack = async (wanted: WantedPack, context: FetchContext): Promise<Pack> =>
  checkedPack(await fetchFrom(wanted, null, context));

/** Fetches exactly the pinned state: another content than that of the lock file is a problem. */
export async function fetchLockedPack(locked: LockedPack, context: FetchContext): Promise<Pack> {
  const pack = await fetchFrom(locked, locked.pin, context);
  const other = compareFiles(locked.files, marksOf(pack.files)).find(({ state }) => state !== "same");
  if (other === undefined) return checkedPack(pack);
  throw new ProblemError({ code: "PACK_DIFFERS", source: sourceText(locked.source), path: other.path });
}

async function fetchFrom({ source, revision }: WantedPack, pin: Pin | null, context: FetchContext): Promise<Pack> {
  if (source.kind === "git") return fetchGitPack({ source, revision }, pin?.commit ?? null, context);
  if (source.kind === "npm") return fetchNpmPack({ source, revision }, pin, context);
  return readFolderPack({ source, revision }, context.root);
}

/** The tag, version or commit that a pack is pinned to. */
export interface PinnedRevision {
  readonly revision: string;
  /** The commit that the tag has now; null for a version of npm and for a commit. */
  readonly commit: string | null;
  /** The highest revision above it that promises to be compatible; null if there is none. */
  readonly next: string | null;
  /** The highest revision above it; null if there is none. */
  readonly newest: string | null;
}

/**
 * Finds the revision that a pack is pinned to, and what is newer. Null if the pack follows a branch, a range or the newest
 * state, so that an update fetches everything there is.
 */
export async function pinnedRevision(
  { source, revision }: WantedPack,
  context: FetchContext,
): Promise<PinnedRevision | null> {
  if (revision === null || source.kind === "folder") return null;
  const listed = await attempt(async (): Promise<ReadonlyMap<string, string | null>> => {
    if (source.kind === "git") return fetchGitTags(source, context);
    return new Map((await fetchNpmVersions(source, context)).map((version) => [version, null]));
  });
  if (!listed.ok) return null;
  const commit = listed.value.get(revision);
  if (commit !== undefined) return { revision, commit, ...newerThan(revision, [...listed.value.keys()]) };
  if (source.kind !== "git" || !COMMIT.test(revision)) return null;
  return { revision, commit: null, next: null, newest: null };
}

const COMMIT = /^[0-9a-f]{7,64}$/;
