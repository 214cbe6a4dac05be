import { attempt, ProblemError } from "../../src/protocol/result.ts";
import { fetchGitPack, fetchGitTags } from "./fetch-git.ts";
import { fetchNpmPack, fetchNpmVersions } from "./fetch-npm.ts";
import { compareFiles, type LockedPack, marksOf } from "./lock.ts";
import { type Pack, type Pin, sourceText, type WantedPack } from "./pack.ts";
import { checkedPack, readFolderPack } from "./pack-files.ts";
import type { FetchContext } from "./run-program.ts";

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

/**
 * The tag, version or commit that a pack is pinned to, and the highest revision of the same form above it, if there is one.
 * Null if the pack follows a branch, a range or the newest state, so that an update fetches everything there is.
 */
export async function pinnedRevision(
  { source, revision }: WantedPack,
  context: FetchContext,
): Promise<{ readonly revision: string; readonly newer: string | null } | null> {
  if (revision === null || source.kind === "folder") return null;
  const listed = await attempt(() =>
    source.kind === "git" ? fetchGitTags(source, context) : fetchNpmVersions(source, context),
  );
  if (!listed.ok) return null;
  if (listed.value.includes(revision)) return { revision, newer: newestAbove(revision, listed.value) };
  return source.kind === "git" && COMMIT.test(revision) ? { revision, newer: null } : null;
}

const COMMIT = /^[0-9a-f]{7,64}$/;

/** `guards-v` and [1, 2, 0] of `guards-v1.2.0`; null for any other name, and for a version before a release. */
function versionOf(name: string): { readonly prefix: string; readonly numbers: readonly number[] } | null {
  const [, prefix = "", digits] = /^(.*?)(\d+(?:\.\d+)*)$/.exec(name) ?? [];
  return digits === undefined ? null : { prefix, numbers: digits.split(".").map(Number) };
}

/** The highest version of the same form above a revision. */
export function newestAbove(revision: string, names: readonly string[]): string | null {
  const prefix = versionOf(revision)?.prefix;
  const same = names.filter((name) => prefix !== undefined && versionOf(name)?.prefix === prefix);
  const newest = same.reduce((best, name) => (isAbove(name, best) ? name : best), revision);
  return newest === revision ? null : newest;
}

function isAbove(name: string, other: string): boolean {
  const [a, b] = [versionOf(name)?.numbers ?? [], versionOf(other)?.numbers ?? []];
  const at = Array.from({ length: Math.max(a.length, b.length) }, (_, index) => (a[index] ?? 0) - (b[index] ?? 0));
  return (at.find((difference) => difference !== 0) ?? 0) > 0;
}
