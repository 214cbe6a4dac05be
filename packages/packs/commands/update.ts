import type { CommandResult } from "../../../src/cli/command-result.ts";
import type { CommandLine } from "../../../src/cli/command-table.ts";
import type { Host } from "../../../src/engine/host.ts";
import { ProblemError } from "../../../src/protocol/result.ts";
import { nearest } from "../../../src/protocol/text/nearest.ts";
import { shellQuote } from "../../../src/protocol/text/shell-quote.ts";
import { fetchPack, pinnedRevision } from "../fetch-pack.ts";
import { compareFiles, type LockedPack, marksOf } from "../lock.ts";
import { defaultPackName, type Pack, type Pin, packNameOf, sourceText } from "../pack.ts";
import { packStateIn } from "../place-pack.ts";
import type { PackReport } from "../report/pack-text.ts";
import { refuseModified } from "./add.ts";
import { NO_APPROVALS_NEEDED } from "./approve-pack.ts";
import { changePack, reportOf } from "./change-pack.ts";
import { changePacks, openPackSite, type PackSite, packCommand } from "./pack-site.ts";

/** Fetches the current state of packs' revisions, shows the changes, and applies them after confirmation. */
export async function update(line: CommandLine<"update">, host: Host): Promise<CommandResult> {
  const site = await openPackSite(line, host);
  const packs = line.args.length === 0 ? site.lock : packsNamed(site, line.args);
  return changePacks(site, packs, ([name, locked]) => updateOne(site, name, locked));
}

async function updateOne(site: PackSite, name: string, locked: LockedPack): Promise<PackReport> {
  refuseModified(site, name, `update ${shellQuote(name)} --force`);
  const pack = await fetchPack(locked, site.fetch);
  const change = { name, action: "updated", pack, former: locked } as const;
  if (isSamePack(locked, pack) && packStateIn(site.root.folder, name, locked).kind === "as-locked") {
    return unchangedReport(reportOf(change, NO_APPROVALS_NEEDED), locked, site);
  }
  const command = `update ${shellQuote(name)} --yes${site.options.force ? " --force" : ""}`;
  return changePack(site, { ...change, command });
}

/** A tag stays what it is: a newer one is fetched by adding it. */
async function unchangedReport(report: PackReport, locked: LockedPack, site: PackSite): Promise<PackReport> {
  const pinned = await pinnedRevision(locked, site.fetch);
  if (pinned === null) return { ...report, action: "unchanged" };
  const { revision, newer } = pinned;
  const named = defaultPackName(locked.source) === report.name ? "" : ` --name ${shellQuote(report.name)}`;
  const command =
    newer === null ? null : packCommand(site, `add ${shellQuote(`${sourceText(locked.source)}@${newer}`)}${named}`);
  return { ...report, action: "unchanged", pinnedTo: { revision, newer, command } };
}

const isSamePack = (locked: LockedPack, pack: Pack): boolean =>
  pinText(locked.pin) === pinText(pack.pin) &&
  compareFiles(locked.files, marksOf(pack.files)).every(({ state }) => state === "same");

const pinText = ({ commit = "", version = "", integrity = "" }: Pin): string => `${commit} ${version} ${integrity}`;

/** Packs by the names that a person typed. */
export function packsNamed({ lock }: PackSite, words: readonly string[]): readonly (readonly [string, LockedPack])[] {
  return words.map((word) => {
    const name = packNameOf(word);
    const locked = lock.get(name);
    if (locked !== undefined) return [name, locked];
    throw new ProblemError({ code: "PACK_UNKNOWN", pack: name, nearest: nearest(name, [...lock.keys()]) });
  });
}
