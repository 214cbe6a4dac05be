import type { Result } from "../protocol/result.ts";
import { fetchGitTags } from "./fetch-git.ts";
import { fetchNpmVersions } from "./fetch-npm.ts";
import type { WantedPack } from "./pack.ts";
import type { FetchContext } from "./run-program.ts";

/** A tag, version or commit that a pack is pinned to. */
export interface PinnedRevision {
  readonly revision: string;
  /** The highest one of the same form above it; null: there is none. */
  readonly newer: string | null;
}

/** Null: the pack follows a branch, a range or the newest state, so that an update is all there is. */
export async function pinnedRevision(
  { source, revision }: WantedPack,
  context: FetchContext,
): Promise<PinnedRevision | null> {
  if (revision === null || source.kind === "folder") return null;
  const listed: Result<readonly string[], unknown> =
    source.kind === "git" ? await fetchGitTags(source, context) : await fetchNpmVersions(source, context);
  if (!listed.ok) return null;
  if (listed.value.includes(revision)) return { revision, newer: newestAbove(revision, listed.value) };
  return source.kind === "git" && COMMIT.test(revision) ? { revision, newer: null } : null;
}

const COMMIT = /^[0-9a-f]{7,64}$/;

/** `guards-v` and [1, 2, 0] of `guards-v1.2.0`; null: it is no version, or one before a release. */
function versionOf(name: string): { readonly prefix: string; readonly numbers: readonly number[] } | null {
  const [, prefix = "", digits = ""] = /^(.*?)(\d+(?:\.\d+)*)$/.exec(name) ?? [];
  return digits === "" ? null : { prefix, numbers: digits.split(".").map(Number) };
}

export function newestAbove(revision: string, names: readonly string[]): string | null {
  const own = versionOf(revision);
  if (own === null) return null;
  const above = names.filter((name) => versionOf(name)?.prefix === own.prefix && isAbove(name, revision));
  return above.reduce<string | null>((best, name) => (best === null || isAbove(name, best) ? name : best), null);
}

function isAbove(name: string, other: string): boolean {
  const [a, b] = [versionOf(name)?.numbers ?? [], versionOf(other)?.numbers ?? []];
  const at = Array.from({ length: Math.max(a.length, b.length) }, (_, index) => (a[index] ?? 0) - (b[index] ?? 0));
  return (at.find((difference) => difference !== 0) ?? 0) > 0;
}
