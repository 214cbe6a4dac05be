import type { CommandResult } from "../../../src/cli/command-result.ts";
import type { CommandLine } from "../../../src/cli/command-table.ts";
import type { Host } from "../../../src/engine/host.ts";
import { shellQuote } from "../../../src/protocol/text/shell-quote.ts";
import type { LockedPack } from "../lock.ts";
import { sourceText } from "../pack.ts";
import { removePack } from "../place-pack.ts";
import type { PackReport } from "../report/pack-text.ts";
import { refuseModified } from "./add.ts";
import { forgetHooks } from "./approve-pack.ts";
import { changePacks, openPackSite, type PackSite } from "./pack-site.ts";
import { packsNamed } from "./update.ts";

/** Removes a pack: its files, its lock entry and the approvals of its hooks. */
export async function remove(line: CommandLine<"remove">, host: Host): Promise<CommandResult> {
  const site = await openPackSite(line, host);
  return changePacks(site, packsNamed(site, line.args), ([name, locked]) => removeOne(site, name, locked));
}

async function removeOne(site: PackSite, name: string, locked: LockedPack): Promise<PackReport> {
  refuseModified(site, name, `remove ${shellQuote(name)} --force`);
  await removePack(site.root, name);
  await forgetHooks(site, name, () => true);
  return {
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
  };
}
