import type { CommandResult } from "../../cli/command-result.ts";
import type { CommandLine } from "../../cli/command-table.ts";
import type { Host } from "../../host.ts";
import type { LockedPack } from "../../packs/lock.ts";
import { sourceText } from "../../packs/pack.ts";
import { removePack } from "../../packs/place-pack.ts";
import type { Problem } from "../../protocol/problem.ts";
import { fail, ok, type Result } from "../../protocol/result.ts";
import { shellQuote } from "../../protocol/text/shell-quote.ts";
import type { PackReport } from "../../report/pack-text.ts";
import { modifiedProblem } from "./add.ts";
import { forgetHooks } from "./approve-pack.ts";
import { openPackSite, type PackSite, reportPacks } from "./pack-site.ts";
import { packsNamed } from "./update.ts";

/** Removes a pack: its files, its lock entry and the approvals of its hooks. */
export async function remove(line: CommandLine<"remove">, host: Host): Promise<CommandResult> {
  const opened = await openPackSite(line, host);
  if (!opened.ok) return opened;
  const site = opened.value;
  const named = packsNamed(site, line.args);
  if (!named.ok) return named;
  const reports: Result<PackReport, Problem>[] = [];
  for (const [name, locked] of named.value) reports.push(await removeOne(site, name, locked));
  return reportPacks(site, reports);
}

async function removeOne(site: PackSite, name: string, locked: LockedPack): Promise<Result<PackReport, Problem>> {
  const modified = modifiedProblem(site, name, `remove ${shellQuote(name)} --force`);
  if (modified !== null) return fail(modified);
  const removed = await removePack(site.root, name);
  if (!removed.ok) return removed;
  const forgotten = await forgetHooks(site, name, () => true);
  if (!forgotten.ok) return forgotten;
  return ok({
    name,
    action: "removed",
    source: sourceText(locked.source),
    revision: locked.revision,
    pinned: locked.pin.commit ?? locked.pin.version ?? null,
    files: [...locked.files.keys()].map((path) => ({ path, state: "gone" })),
    approved: [],
    waiting: [],
    notApprovedBecause: null,
    problem: null,
  });
}
