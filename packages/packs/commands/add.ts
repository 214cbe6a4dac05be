import { isAbsolute, relative, resolve } from "node:path";
import type { CommandResult } from "../../../src/cli/command-result.ts";
import type { CommandLine } from "../../../src/cli/command-table.ts";
import type { Host } from "../../../src/engine/host.ts";
import { ProblemError, unwrap } from "../../../src/protocol/result.ts";
import { shellQuote } from "../../../src/protocol/text/shell-quote.ts";
import { fetchLockedPack, fetchPack } from "../fetch-pack.ts";
import type { LockedPack } from "../lock.ts";
import {
  defaultPackName,
  isPackName,
  type Pack,
  type PackSource,
  packNameOf,
  parsePackArgument,
  sourceText,
  type WantedPack,
} from "../pack.ts";
import { readFolderPack } from "../pack-files.ts";
import { packFolder, packStateIn, pluginNames } from "../place-pack.ts";
import type { PackReport } from "../report/pack-text.ts";
import { NO_APPROVALS_NEEDED, waitingHooks } from "./approve-pack.ts";
import { changePack, reportOf } from "./change-pack.ts";
import { changePacks, openPackSite, type PackSite, packCommand } from "./pack-site.ts";

/** Adds a pack from its source; without one restores the packs of the lock file. */
export async function add(line: CommandLine<"add">, host: Host): Promise<CommandResult> {
  const site = await openPackSite(line, host);
  const [argument] = line.args;
  if (argument === undefined) return restorePacks(site);
  return changePacks(site, [argument], () => addOne(site, argument, line.options.name));
}

async function addOne(site: PackSite, argument: string, chosenName: string | null): Promise<PackReport> {
  const parsed = unwrap(parsePackArgument(argument));
  const wanted = { ...parsed, source: fromRoot(parsed.source, site) };
  const name = chosenName === null ? defaultPackName(parsed.source) : packNameOf(chosenName);
  if (name === null || !isPackName(name)) throw new ProblemError({ code: "PACK_BAD_NAME", pack: name ?? argument });
  refuseTakenName(site, name, wanted);
  const pack = await fetchPack(wanted, site.fetch);
  const former = site.lock.get(name) ?? null;
  const words = `add ${shellQuote(argument)}${chosenName === null ? "" : ` --name ${shellQuote(chosenName)}`} --yes`;
  return changePack(site, { name, action: former === null ? "added" : "updated", pack, former, command: words });
}

/** A folder is stored relative to the project, so that the lock file fits other checkouts. */
function fromRoot(source: PackSource, { root, context }: PackSite): PackSource {
  if (source.kind !== "folder" || isAbsolute(source.path)) return source;
  const path = relative(root.folder, resolve(context.cwd, source.path));
  return { kind: "folder", path: path.startsWith("../") || path === ".." ? path : `./${path}` };
}

/** The same source may be added again, with another revision. */
function refuseTakenName(site: PackSite, name: string, { source }: WantedPack): void {
  const former = site.lock.get(name);
  if (former !== undefined) {
    const by = sourceText(former.source);
    if (by !== sourceText(source)) throw new ProblemError({ code: "PACK_NAME_TAKEN", pack: name, by });
    refuseModified(site, name, `update ${shellQuote(name)} --force`);
    return;
  }
  // A disk may take names that differ only in case for one folder.
  const isTaken = pluginNames(site.root.folder).some((other) => other.toLowerCase() === name.toLowerCase());
  if (isTaken) throw new ProblemError({ code: "PACK_NAME_TAKEN", pack: name, by: null });
}

/** Changes that a person made to a pack are not overwritten. */
export function refuseModified(site: PackSite, name: string, words: string): void {
  const locked = site.lock.get(name);
  const state = locked === undefined || site.options.force ? null : packStateIn(site.root.folder, name, locked);
  if (state?.kind !== "modified") return;
  throw new ProblemError({ code: "PACK_MODIFIED", pack: name, files: state.files, command: packCommand(site, words) });
}

/** Fetches the packs of the lock file whose files are missing, in the pinned state, and approves those that need it. */
export const restorePacks = (site: PackSite): Promise<CommandResult> =>
  changePacks(site, site.lock, ([name, locked]) => restoreOne(site, name, locked));

async function restoreOne(site: PackSite, name: string, locked: LockedPack): Promise<PackReport> {
  refuseModified(site, name, "add --force");
  const change = { name, former: null, command: "add --yes" };
  if (packStateIn(site.root.folder, name, locked).kind !== "as-locked") {
    const pack = await fetchLockedPack(locked, site.fetch);
    return changePack(site, { ...change, action: "restored", pack });
  }
  // The files exist, such as after a clone, and are perhaps not approved.
  const approval = { ...change, action: "approved", pack: placedPack(site, name, locked) } as const;
  if ((await waitingHooks(site, name)).length > 0) return changePack(site, approval);
  return { ...reportOf(approval, NO_APPROVALS_NEEDED), action: "unchanged" };
}

function placedPack({ root }: PackSite, name: string, { source, revision, pin }: LockedPack): Pack {
  const folder = { kind: "folder", path: packFolder(root.folder, name) } as const;
  return { ...readFolderPack({ source: folder, revision: null }, root.folder), source, revision, pin };
}
