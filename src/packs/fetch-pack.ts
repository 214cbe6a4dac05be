import type { PackProblem } from "../protocol/problem.ts";
import { fail, type Result } from "../protocol/result.ts";
import { fetchGitPack } from "./fetch-git.ts";
import { fetchNpmPack } from "./fetch-npm.ts";
import { compareFiles, type LockedPack, marksOf } from "./lock.ts";
import { type Pack, type Pin, sourceText, type WantedPack } from "./pack.ts";
import { checkedPack, readFolderPack } from "./pack-files.ts";
import type { FetchContext } from "./run-program.ts";

/** Fetches a pack into memory and checks it. Nothing is run or written. */
export async function fetchPack(wanted: WantedPack, context: FetchContext): Promise<Result<Pack, PackProblem>> {
  const pack = await fetchFrom(wanted, null, context);
  return pack.ok ? checkedPack(pack.value) : pack;
}

/** Fetches exactly the pinned state: another content than that of the lock file is a problem. */
export async function fetchLockedPack(locked: LockedPack, context: FetchContext): Promise<Result<Pack, PackProblem>> {
  const pack = await fetchFrom(locked, locked.pin, context);
  if (!pack.ok) return pack;
  const other = compareFiles(locked.files, marksOf(pack.value.files)).find(({ state }) => state !== "same");
  if (other === undefined) return checkedPack(pack.value);
  return fail({ code: "PACK_DIFFERS", source: sourceText(locked.source), path: other.path });
}

async function fetchFrom(
  { source, revision }: WantedPack,
  pin: Pin | null,
  context: FetchContext,
): Promise<Result<Pack, PackProblem>> {
  if (source.kind === "git") return fetchGitPack({ source, revision }, pin?.commit ?? null, context);
  if (source.kind === "npm") return fetchNpmPack({ source, revision }, pin, context);
  return readFolderPack({ source, revision }, context.root);
}
