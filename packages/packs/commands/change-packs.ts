import { isAbsolute, relative, resolve } from "node:path";
import type { CommandResult } from "../../../src/cli/command-result.ts";
import type { CommandLine } from "../../../src/cli/command-table.ts";
import type { Host } from "../../../src/engine/host.ts";
import { ProblemError, unwrap } from "../../../src/protocol/result.ts";
import { nearest } from "../../../src/protocol/text/nearest.ts";
import { shellQuote } from "../../../src/protocol/text/shell-quote.ts";
import { fetchLockedPack, fetchPack, pinnedRevision } from "../fetch-pack.ts";
import { compareFiles, type LockedPack, marksOf } from "../lock.ts";
import {
  defaultPackName,
  isPackName,
  type Pack,
  type PackSource,
  type Pin,
  packNameOf,
  parsePackArgument,
  sourceText,
} from "../pack.ts";
import { readFolderPack } from "../pack-files.ts";
import { packFolder, packStateIn, placePack, pluginNames } from "../place-pack.ts";
import type { PackReport } from "../report/pack-text.ts";
import { forgetHooks, NO_APPROVALS_NEEDED, waitingHooks } from "./approve-pack.ts";
import { changePack, reportOf } from "./change-pack.ts";
import { changePacks, openPackSite, type PackSite, packCommand } from "./pack-site.ts";

/** Adds a pack from its source; without a source restores the packs of the lock file. */
export async function add(line: CommandLine<"add">, host: Host): Promise<CommandResult> {
  const site = await openPackSite(line, host);
  const [argument] = line.args;
  if (argument !== undefined) return changePacks(site, [argument], () => addOne(site, argument, line.options.name));
  return changePacks(site, site.lock, ([name, locked]) => restoreOne(site, name, locked));
}

/** Fetches the current state of packs' revisions, shows the changes, and applies them after confirmation. */
export async function update(line: CommandLine<"update">, host: Host): Promise<CommandResult> {
  const site = await openPackSite(line, host);
  const packs = line.args.length === 0 ? site.lock : packsNamed(site, line.args);
  return changePacks(site, packs, ([name, locked]) => updateOne(site, name, locked));
}

/** Removes a pack: its files, its lock entry and the approvals of its hooks. */
export async function remove(line: CommandLine<"remove">, host: Host): Promise<CommandResult> {
  const site = await openPackSite(line, host);
  return changePacks(site, packsNamed(site, line.args), ([name, locked]) => removeOne(site, name, locked));
}

async function addOne(site: PackSite, argument: string, chosenName: string | null): Promise<PackReport> {
  const { source, revision } = unwrap(parsePackArgument(argument));
  const name = chosenName === null ? defaultPackName(source) : packNameOf(chosenName);
  if (name === null || !isPackName(name)) throw new ProblemError({ code: "PACK_BAD_NAME", pack: name ?? argument });
  const wanted = { source: fromRoot(source, site), revision };
  refuseTakenName(site, name, wanted.source);
  const pack = await fetchPack(wanted, site.fetch);
  const former = site.lock.get(name) ?? null;
  const command = `add ${shellQuote(argument)}${chosenName === null ? "" : ` --name ${shellQuote(chosenName)}`} --yes`;
  return changePack(site, { name, action: former === null ? "added" : "updated", pack, former, command });
}

/** A folder is stored relative to the project, so that the lock file fits other checkouts. */
function fromRoot(source: PackSource, { root, context }: PackSite): PackSource {
  if (source.kind !== "folder" || isAbsolute(source.path)) return source;
  const path = relative(root.folder, resolve(context.cwd, source.path));
  return { kind: "folder", path: path.startsWith("../") || path === ".." ? path : `./${path}` };
}

/** The same source may be added again, with another revision. */
function refuseTakenName(site: PackSite, name: string, source: PackSource): void {
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
function refuseModified(site: PackSite, name: string, words: string): void {
  const locked = site.lock.get(name);
  const state = locked === undefined || site.options.force ? null : packStateIn(site.root.folder, name, locked);
  if (state?.kind !== "modified") return;
  throw new ProblemError({ code: "PACK_MODIFIED", pack: name, files: state.files, command: packCommand(site, words) });
}

/** Fetches a pack of the lock file whose files are missing, in the pinned state, and approves its hooks if they need it. */
async function restoreOne(site: PackSite, name: string, locked: LockedPack): Promise<PackReport> {
  refuseModified(site, name, "add --force");
  const change = { name, former: null, command: "add --yes" };
  if (packStateIn(site.root.folder, name, locked).kind !== "as-locked") {
    return changePack(site, { ...change, action: "restored", pack: await fetchLockedPack(locked, site.fetch) });
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

async function updateOne(site: PackSite, name: string, locked: LockedPack): Promise<PackReport> {
  refuseModified(site, name, `update ${shellQuote(name)} --force`);
  const pack = await fetchPack(locked, site.fetch);
  const change = { name, action: "updated", pack, former: locked } as const;
  if (!isSamePack(locked, pack) || packStateIn(site.root.folder, name, locked).kind !== "as-locked") {
    const command = `update ${shellQuote(name)} --yes${site.options.force ? " --force" : ""}`;
    return changePack(site, { ...change, command });
  }
  const report: PackReport = { ...reportOf(change, NO_APPROVALS_NEEDED), action: "unchanged" };
  const pinned = await pinnedRevision(locked, site.fetch);
  if (pinned === null) return report;
  // A tag does not move: a newer tag is fetched by adding it.
  const source = sourceText(locked.source);
  const named = defaultPackName(locked.source) === name ? "" : ` --name ${shellQuote(name)}`;
  const { newer } = pinned;
  const command = newer === null ? null : packCommand(site, `add ${shellQuote(`${source}@${newer}`)}${named}`);
  return { ...report, pinnedTo: { ...pinned, command } };
}

const isSamePack = (locked: LockedPack, pack: Pack): boolean =>
  pinText(locked.pin) === pinText(pack.pin) &&
  compareFiles(locked.files, marksOf(pack.files)).every(({ state }) => state === "same");

const pinText = ({ commit = "", version = "", integrity = "" }: Pin): string => `${commit} ${version} ${integrity}`;

async function removeOne(site: PackSite, name: string, locked: LockedPack): Promise<PackReport> {
  refuseModified(site, name, `remove ${shellQuote(name)} --force`);
  await placePack(site.root, name, null);
  await forgetHooks(site, name, () => true);
  const removed = { ...locked, files: [] };
  return reportOf({ name, action: "removed", pack: removed, former: locked }, NO_APPROVALS_NEEDED);
}

/** Packs by the names that a person typed. */
const packsNamed = ({ lock }: PackSite, words: readonly string[]): readonly (readonly [string, LockedPack])[] =>
  words.map((word) => {
    const name = packNameOf(word);
    const locked = lock.get(name);
    if (locked !== undefined) return [name, locked];
    throw new ProblemError({ code: "PACK_UNKNOWN", pack: name, nearest: nearest(name, [...lock.keys()]) });
  });
