import { existsSync } from "node:fs";
import { isAbsolute, join, relative, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { CommandResult } from "../../../src/cli/command-result.ts";
import type { CommandLine } from "../../../src/cli/command-table.ts";
import type { Host } from "../../../src/engine/host.ts";
import { ProblemError, unwrap } from "../../../src/protocol/result.ts";
import { nearest } from "../../../src/protocol/text/nearest.ts";
import { isPathArgument, shellQuote } from "../../../src/protocol/text/shell-quote.ts";
import { withProgress } from "../../screen/progress-line.ts";
import { fetchLockedPack, fetchPack, type PinnedRevision, pinnedRevision } from "../fetch-pack.ts";
import { compareFiles, type LockedPack, marksOf } from "../lock.ts";
import {
  defaultPackName,
  isPackName,
  isRevision,
  type Pack,
  type PackSource,
  type Pin,
  packNameOf,
  parsePackArgument,
  shownName,
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

/** Fetches what is newer of packs, or the revisions that are named, shows the changes, and applies them after confirmation. */
export async function update(line: CommandLine<"update">, host: Host): Promise<CommandResult> {
  const site = await openPackSite(line, host);
  const all = [...site.lock].map(([name, locked]): NamedPack => ({ name, locked, picked: null }));
  const packs = line.args.length === 0 ? all : packsNamed(site, line.args);
  return changePacks(site, packs, (pack) => updateOne(site, pack, line.options.dryRun));
}

/** Removes a pack: its files, its lock entry and the approvals of its hooks. */
export async function remove(line: CommandLine<"remove">, host: Host): Promise<CommandResult> {
  const site = await openPackSite(line, host);
  return changePacks(site, packsNamed(site, line.args), (pack) => removeOne(site, pack));
}

async function addOne(site: PackSite, argument: string, chosenName: string | null): Promise<PackReport> {
  const { source, revision } = unwrap(parsePackArgument(urlOfRepository(argument, site.context.cwd)));
  const name = chosenName === null ? defaultPackName(source) : packNameOf(chosenName);
  if (name === null || !isPackName(name)) throw new ProblemError({ code: "PACK_BAD_NAME", pack: name ?? argument });
  const wanted = { source: fromRoot(source, site), revision };
  refuseTakenName(site, name, wanted.source);
  const former = site.lock.get(name) ?? null;
  if (former !== null && former.revision === revision) await findPinned(site, name, former);
  const pack = await fetching(fetchPack(wanted, site.fetch), site);
  const command = `add ${shellQuote(argument)}${chosenName === null ? "" : ` --name ${shellQuote(chosenName)}`} --yes`;
  return changePack(site, { name, action: former === null ? "added" : "updated", pack, former, command });
}

/** A path of a bare repository, or of any repository with `@REV`, stands for its `file:` URL: git fetches it. */
function urlOfRepository(argument: string, cwd: string): string {
  if (!isPathArgument(argument)) return argument;
  const isThere = existsSync(resolve(cwd, argument));
  const [, path = argument, revision = ""] = isThere ? [] : (/^(.*)(@[^@]+)$/s.exec(argument) ?? []);
  const folder = resolve(cwd, path);
  const isBare = existsSync(join(folder, "HEAD")) && existsSync(join(folder, "objects"));
  const isRepository = isBare || (revision !== "" && existsSync(join(folder, ".git")));
  return isRepository ? `${pathToFileURL(folder)}${revision}` : argument;
}

const fetching = <T>(work: Promise<T>, { host, options }: PackSite): Promise<T> =>
  withProgress(host, options.quiet, "fetching the pack", work);

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
    return changePack(site, {
      ...change,
      action: "restored",
      pack: await fetching(fetchLockedPack(locked, site.fetch), site),
    });
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

async function updateOne(site: PackSite, { name, locked, picked }: NamedPack, isDry: boolean): Promise<PackReport> {
  const words = `update ${shellQuote(picked === null ? shownName(name) : `${shownName(name)}@${picked}`)}`;
  refuseModified(site, name, `update ${shellQuote(shownName(name))} --force`);
  const isStaying = picked === null || picked === locked.revision;
  const pinned = isStaying ? await findPinned(site, name, locked) : null;
  const revision = picked ?? pinned?.next ?? locked.revision;
  if (revision !== null && locked.source.kind === "folder")
    throw new ProblemError({ code: "PACK_UNKNOWN_REVISION", source: sourceText(locked.source), revision });
  const pack = await fetching(fetchPack({ source: locked.source, revision }, site.fetch), site);
  const change = { name, action: "updated", pack, former: locked } as const;
  const newer = pinned?.newest === revision ? null : (pinned?.newest ?? null);
  const command = newer === null ? null : packCommand(site, `update ${shellQuote(`${shownName(name)}@${newer}`)}`);
  const more = pinned === null ? {} : { pinnedTo: { newer, command } };
  const isSame = isSamePack(locked, pack) && packStateIn(site.root.folder, name, locked).kind === "as-locked";
  if (isSame || isDry) {
    const action = isSame ? "unchanged" : "outdated";
    return { ...reportOf(change, NO_APPROVALS_NEEDED), action, ...more, update: packCommand(site, words) };
  }
  const force = site.options.force ? " --force" : "";
  return { ...(await changePack(site, { ...change, command: `${words} --yes${force}` })), ...more };
}

/** The tag, version or commit that a pack is pinned to. A tag that has another commit than before is not taken unasked. */
async function findPinned(site: PackSite, name: string, locked: LockedPack): Promise<PinnedRevision | null> {
  const pinned = await fetching(pinnedRevision(locked, site.fetch), site);
  const [from = "", to = null] = [locked.pin.commit, pinned?.commit];
  if (pinned === null || to === null || to === from || site.options.force) return pinned;
  const command = packCommand(site, `update ${shellQuote(`${shownName(name)}@${pinned.revision}`)} --force`);
  const [tag, shown] = [pinned.revision, (commit: string): string => commit.slice(0, 12)];
  throw new ProblemError({ code: "PACK_TAG_MOVED", pack: name, tag, from: shown(from), to: shown(to), command });
}

const isSamePack = (locked: LockedPack, pack: Pack): boolean =>
  locked.revision === pack.revision &&
  pinText(locked.pin) === pinText(pack.pin) &&
  compareFiles(locked.files, marksOf(pack.files)).every(({ state }) => state === "same");

const pinText = ({ commit = "", version = "", integrity = "" }: Pin): string => `${commit} ${version} ${integrity}`;

async function removeOne(site: PackSite, { name, locked }: NamedPack): Promise<PackReport> {
  refuseModified(site, name, `remove ${shellQuote(shownName(name))} --force`);
  await placePack(site.root, name, null);
  await forgetHooks(site, name, () => true);
  const removed = { ...locked, files: [], leftOut: [] };
  return reportOf({ name, action: "removed", pack: removed, former: locked }, NO_APPROVALS_NEEDED);
}

interface NamedPack {
  readonly name: string;
  readonly locked: LockedPack;
  /** The revision after an `@`; null if there is none. */
  readonly picked: string | null;
}

/** Packs by the names that a person typed. */
const packsNamed = ({ lock }: PackSite, words: readonly string[]): readonly NamedPack[] =>
  words.map((word) => {
    const at = lock.has(packNameOf(word)) ? word.length : word.lastIndexOf("@");
    const [name, picked] = [packNameOf(word.slice(0, at)), word.slice(at + 1)];
    const locked = lock.get(name);
    if (locked !== undefined && (picked === "" || isRevision(picked)))
      return { name, locked, picked: picked === "" ? null : picked };
    throw new ProblemError({ code: "PACK_UNKNOWN", pack: word, nearest: nearest(name, [...lock.keys()]) });
  });
