import type { CommandResult } from "../../cli/command-result.ts";
import { fetchLockedPack } from "../../packs/fetch-pack.ts";
import type { LockedPack } from "../../packs/lock.ts";
import type { Pack } from "../../packs/pack.ts";
import { readFolderPack } from "../../packs/pack-files.ts";
import { packFolder, packStateIn } from "../../packs/placed-pack.ts";
import type { Problem } from "../../protocol/problem.ts";
import { fail, ok, type Result } from "../../protocol/result.ts";
import type { PackReport } from "../../report/pack-text.ts";
import { NO_APPROVALS_NEEDED, waitingHooks } from "./approve-pack.ts";
import { changePack, reportOf } from "./change-pack.ts";
import { type PackSite, packCommand } from "./pack-site.ts";
import { reportPacks } from "./report-packs.ts";

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
