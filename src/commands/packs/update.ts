import type { CommandResult } from "../../cli/command-result.ts";
import type { CommandLine } from "../../cli/command-table.ts";
import type { Host } from "../../host.ts";
import { fetchPack } from "../../packs/fetch-pack.ts";
import { compareFiles, type LockedPack, marksOf } from "../../packs/lock.ts";
import { pinnedRevision } from "../../packs/newer-revision.ts";
import { defaultPackName, type Pack, type Pin, packNameOf, sourceText } from "../../packs/pack.ts";
import { packStateIn } from "../../packs/place-pack.ts";
import type { Problem } from "../../protocol/problem.ts";
import { fail, ok, type Result } from "../../protocol/result.ts";
import { nearest } from "../../protocol/text/nearest.ts";
import { shellQuote } from "../../protocol/text/shell-quote.ts";
import type { PackReport } from "../../report/pack-text.ts";
import { modifiedProblem } from "./add.ts";
import { NO_APPROVALS_NEEDED } from "./approve-pack.ts";
import { changePack, reportOf } from "./change-pack.ts";
import { openPackSite, type PackSite, packCommand, reportPacks } from "./pack-site.ts";

/** Fetches the current state of packs' revisions, shows the changes, and applies them after confirmation. */
export async function update(line: CommandLine<"update">, host: Host): Promise<CommandResult> {
  const opened = await openPackSite(line, host);
  if (!opened.ok) return opened;
  const site = opened.value;
  const named = line.args.length === 0 ? ok([...site.lock]) : packsNamed(site, line.args);
  if (!named.ok) return named;
  const reports: Result<PackReport, Problem>[] = [];
  for (const [name, locked] of named.value) reports.push(await updateOne(site, name, locked));
  return reportPacks(site, reports);
}

async function updateOne(site: PackSite, name: string, locked: LockedPack): Promise<Result<PackReport, Problem>> {
  const modified = modifiedProblem(site, name, `update ${shellQuote(name)} --force`);
  if (modified !== null) return fail(modified);
  const fetched = await fetchPack(locked, site.fetch);
  if (!fetched.ok) return fetched;
  const change = { name, action: "updated", pack: fetched.value, former: locked } as const;
  if (isSame(locked, fetched.value) && packStateIn(site.root.folder, name, locked).kind === "as-locked") {
    return ok(await unchangedReport(reportOf(change, NO_APPROVALS_NEEDED), locked, site));
  }
  return changePack(site, {
    ...change,
    command: `update ${shellQuote(name)} --yes${site.options.force ? " --force" : ""}`,
  });
}

/** A tag stays what it is: a newer one is fetched by adding it. */
async function unchangedReport(report: PackReport, locked: LockedPack, site: PackSite): Promise<PackReport> {
  const pinned = await pinnedRevision(locked, site.fetch);
  if (pinned === null) return { ...report, action: "unchanged" };
  const { revision, newer } = pinned;
  const isOwnName = defaultPackName(locked.source) !== report.name;
  const named = isOwnName ? ` --name ${shellQuote(report.name)}` : "";
  const command =
    newer === null ? null : packCommand(site, `add ${shellQuote(`${sourceText(locked.source)}@${newer}`)}${named}`);
  return { ...report, action: "unchanged", pinnedTo: { revision, newer, command } };
}

const isSame = (locked: LockedPack, pack: Pack): boolean =>
  pinText(locked.pin) === pinText(pack.pin) &&
  compareFiles(locked.files, marksOf(pack.files)).every(({ state }) => state === "same");

const pinText = ({ commit = "", version = "", integrity = "" }: Pin): string => `${commit} ${version} ${integrity}`;

/** Packs by the names that a person typed. */
export function packsNamed(
  { lock }: PackSite,
  words: readonly string[],
): Result<readonly (readonly [string, LockedPack])[], Problem> {
  const found = words.map((word): readonly [string, LockedPack | undefined] => [
    packNameOf(word),
    lock.get(packNameOf(word)),
  ]);
  const missing = found.find(([, locked]) => locked === undefined);
  if (missing !== undefined)
    return fail({ code: "PACK_UNKNOWN", pack: missing[0], nearest: nearest(missing[0], [...lock.keys()]) });
  return ok(found.flatMap(([name, locked]) => (locked === undefined ? [] : [[name, locked] as const])));
}
