import { isAbsolute, relative, resolve } from "node:path";
import type { CommandResult } from "../../cli/command-result.ts";
import type { CommandLine } from "../../cli/command-table.ts";
import type { Host } from "../../host.ts";
import { fetchLockedPack, fetchPack } from "../../packs/fetch-pack.ts";
import type { LockedPack } from "../../packs/lock.ts";
import {
  defaultPackName,
  isPackName,
  type Pack,
  type PackSource,
  packNameOf,
  sourceText,
  type WantedPack,
} from "../../packs/pack.ts";
import { readFolderPack } from "../../packs/pack-files.ts";
import { packFolder, packStateIn, pluginNames } from "../../packs/place-pack.ts";
import { parsePackArgument } from "../../packs/source.ts";
import type { Problem } from "../../protocol/problem.ts";
import { fail, ok, type Result } from "../../protocol/result.ts";
import { shellQuote } from "../../protocol/text/shell-quote.ts";
import type { PackReport } from "../../report/pack-text.ts";
import { NO_APPROVALS_NEEDED, waitingHooks } from "./approve-pack.ts";
import { changePack, reportOf } from "./change-pack.ts";
import { openPackSite, type PackSite, packCommand, reportPacks } from "./pack-site.ts";

/** Adds a pack from its source; without one restores the packs of the lock file. */
export async function add(line: CommandLine<"add">, host: Host): Promise<CommandResult> {
  const opened = await openPackSite(line, host);
  if (!opened.ok) return opened;
  const site = opened.value;
  const [argument] = line.args;
  if (argument === undefined) return restorePacks(site);
  return reportPacks(site, [await addOne(site, argument, line.options.name)]);
}

async function addOne(
  site: PackSite,
  argument: string,
  chosenName: string | null,
): Promise<Result<PackReport, Problem>> {
  const parsed = parsePackArgument(argument);
  if (!parsed.ok) return parsed;
  const wanted = { ...parsed.value, source: fromRoot(parsed.value.source, site) };
  const name = chosenName === null ? defaultPackName(parsed.value.source) : packNameOf(chosenName);
  if (name === null || !isPackName(name)) return fail({ code: "PACK_BAD_NAME", pack: name ?? argument });
  const taken = nameProblem(site, name, wanted);
  if (taken !== null) return fail(taken);
  const pack = await fetchPack(wanted, site.fetch);
  if (!pack.ok) return pack;
  const former = site.lock.get(name) ?? null;
  const words = `add ${shellQuote(argument)}${chosenName === null ? "" : ` --name ${shellQuote(chosenName)}`} --yes`;
  const action = former === null ? "added" : "updated";
  return changePack(site, { name, action, pack: pack.value, former, command: words });
}

/** A folder is stored relative to the project, so that the lock file fits other checkouts. */
function fromRoot(source: PackSource, { root, context }: PackSite): PackSource {
  if (source.kind !== "folder" || isAbsolute(source.path)) return source;
  const way = relative(root.folder, resolve(context.cwd, source.path));
  return { kind: "folder", path: way.startsWith("../") || way === ".." ? way : `./${way}` };
}

/** The same source may be added again, with another revision. */
function nameProblem(site: PackSite, name: string, { source }: WantedPack): Problem | null {
  const former = site.lock.get(name);
  if (former === undefined) {
    // A disk may take names that differ only in case for one folder.
    const isThere = pluginNames(site.root.folder).some((other) => other.toLowerCase() === name.toLowerCase());
    return isThere ? { code: "PACK_NAME_TAKEN", pack: name, by: null } : null;
  }
  if (sourceText(former.source) !== sourceText(source))
    return { code: "PACK_NAME_TAKEN", pack: name, by: sourceText(former.source) };
  return modifiedProblem(site, name, `update ${shellQuote(name)} --force`);
}

/** Changes that a person made to a pack are not overwritten. */
export function modifiedProblem(site: PackSite, name: string, words: string): Problem | null {
  const locked = site.lock.get(name);
  const state = locked === undefined || site.options.force ? null : packStateIn(site.root.folder, name, locked);
  if (state?.kind !== "modified") return null;
  return { code: "PACK_MODIFIED", pack: name, files: state.files, command: packCommand(site, words) };
}

/** Fetches the packs of the lock file whose files are missing, in the pinned state, and approves those that wait. */
export async function restorePacks(site: PackSite): Promise<CommandResult> {
  const reports: Result<PackReport, Problem>[] = [];
  for (const [name, locked] of site.lock) reports.push(await restoreOne(site, name, locked));
  return reportPacks(site, reports);
}

async function restoreOne(site: PackSite, name: string, locked: LockedPack): Promise<Result<PackReport, Problem>> {
  const state = packStateIn(site.root.folder, name, locked);
  if (state.kind === "modified" && !site.options.force) {
    const command = packCommand(site, "add --force");
    return fail({ code: "PACK_MODIFIED", pack: name, files: state.files, command });
  }
  if (state.kind === "as-locked") return approveOne(site, name, locked);
  const pack = await fetchLockedPack(locked, site.fetch);
  if (!pack.ok) return pack;
  return changePack(site, { name, action: "restored", pack: pack.value, former: null, command: "add --yes" });
}

/** The files are there, such as after a clone, and perhaps not approved. */
async function approveOne(site: PackSite, name: string, locked: LockedPack): Promise<Result<PackReport, Problem>> {
  const pack = placedPack(site, name, locked);
  if (!pack.ok) return pack;
  const waiting = await waitingHooks(site, name);
  if (!waiting.ok) return waiting;
  const change = { name, pack: pack.value, former: null, command: "add --yes" };
  if (waiting.value.length > 0) return changePack(site, { ...change, action: "approved" });
  return ok({ ...reportOf({ ...change, action: "approved" }, NO_APPROVALS_NEEDED), action: "unchanged" });
}

function placedPack({ root }: PackSite, name: string, { source, revision, pin }: LockedPack): Result<Pack, Problem> {
  const folder = { kind: "folder", path: packFolder(root.folder, name) } as const;
  const read = readFolderPack({ source: folder, revision: null }, root.folder);
  return read.ok ? ok({ ...read.value, source, revision, pin }) : read;
}
