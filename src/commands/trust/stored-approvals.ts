import { existsSync } from "node:fs";
import { basename } from "node:path";
import { type CommandResult, print } from "../../cli/command-result.ts";
import type { CommonOptions } from "../../cli/command-table.ts";
import { missingUserHooks, storedApprovals, trustFileOf } from "../../cli/review/stored-decisions.ts";
import { stdoutStyle } from "../../cli/stream-style.ts";
import { userFileIn } from "../../config/load-settings.ts";
import { fileOfEntry } from "../../discover/candidate-names.ts";
import { classifyFile } from "../../discover/find-candidates.ts";
import type { Host } from "../../engine/host.ts";
import { clockText } from "../../engine/pauses.ts";
import type { RunContext } from "../../engine/run-context.ts";
import { storeNotReadable } from "../../engine/trust-statuses.ts";
import { createFolderNames, type FolderNames } from "../../fs/paths.ts";
import type { Approval, Approvals } from "../../protocol/approval.ts";
import { RANK } from "../../protocol/hook.ts";
import { printableJson } from "../../protocol/json/write.ts";
import { fail } from "../../protocol/result.ts";
import { truncateEscaped } from "../../protocol/text/text.ts";
import { type StoredRow, storedApprovalsText } from "../../report/trust/approvals-text.ts";
import { byKey } from "../../trust/decide/approval-key.ts";
import { compareWithApproval } from "../../trust/evidence/evidence.ts";
import { forgetKnownHooks } from "../../trust/store/earlier-calls.ts";
import { forgetGuards } from "../../trust/store/last-known-guards.ts";
import { changeApprovals } from "../../trust/store/trust-store.ts";

/** `trust --list`: lists every approval and denial of the user, in all projects. */
export async function listApprovals(context: RunContext, options: CommonOptions, host: Host): Promise<CommandResult> {
  const rows = storedRows(storedApprovals(context), context.trustFile);
  if (options.json)
    return print(`${printableJson({ schema: "hookctl.trust/1", entries: rows.map(storedRowJson) })}\n`, host);
  const shown = rows.map((row) => ({ ...row, since: clockText(Date.parse(row.since), context.nowMs) }));
  return print(storedApprovalsText(shown, await stdoutStyle(options, host)), host);
}

/** `trust --prune`: forgets approvals of files that were deleted, disabled or made not executable. */
export async function pruneApprovals(context: RunContext, isJson: boolean, host: Host): Promise<CommandResult> {
  const { userId } = context;
  const trustFile = trustFileOf(context);
  // An unreadable store is not renamed for this: the user may be able to repair it.
  storedApprovals(context);
  let pruned: readonly Approval[] = [];
  const changed = await changeApprovals(
    trustFile,
    (approvals) => {
      const all = Object.values(approvals.approved);
      pruned = all.filter(isGone);
      return { ...approvals, approved: byKey(all.filter((approval) => !pruned.includes(approval))) };
    },
    { userId, nowMs: host.nowMs },
  );
  if (!changed.ok) return fail(storeNotReadable(context, changed.error));
  const inForce = userFileIn(context.plan)?.file ?? null;
  const isForgotten = context.lostSettings?.isDeleted === true && forgetGuards(trustFile, userId, inForce);
  const missing = missingUserHooks(context);
  const missingPaths = missing.map(({ path }) => path);
  forgetKnownHooks(missingPaths, context);
  const all = [...pruned, ...missing];
  const paths = all.map(({ path }) => path);
  if (isJson) return print(`${printableJson({ schema: "hookctl.trust/1", pruned: paths })}\n`, host);
  const forgotten = isForgotten ? ["✔ Removed the record of your deleted settings file\n"] : [];
  const lines = all.map(
    ({ name, path }) => `✔ Removed the approval of ${truncateEscaped(name, 60)}   ${truncateEscaped(path, 160)}\n`,
  );
  return print([...lines, ...forgotten].join("") || "Nothing to remove: every approved file exists.\n", host);
}

function storedRows({ approved, denied }: Approvals, trustFile: string | null): readonly StoredRow[] {
  const context = { trustFile, namesIn: createFolderNames() };
  const approvedRows = Object.values(approved).map((one): StoredRow => {
    const sha256 = isEntry(one) ? null : one.sha256;
    return { name: one.name, path: one.path, state: storedState(one, context), since: one.approvedAt, sha256 };
  });
  const deniedRows = Object.entries(denied).map(([path, since]): StoredRow => {
    return { name: basename(path), path, state: "denied", since, sha256: null };
  });
  return [...approvedRows, ...deniedRows];
}

const storedRowJson = ({ name, path, state, since, sha256 }: StoredRow) => ({ name, path, state, since, sha256 });

/** Compares the evidence. Entries are not compared, because that needs the settings of their project. */
function storedState(
  approval: Approval,
  context: { readonly trustFile: string | null; readonly namesIn: FolderNames },
): StoredRow["state"] {
  if (isGone(approval)) return "gone";
  const { name, path, source, project } = approval;
  if (isEntry(approval)) return "approved";
  const kind = classifyFile(path, basename(path), null);
  if (typeof kind === "string" || "unseenBecause" in kind) return "changed";
  const candidate = { ...kind, name, path, source, projectDir: project, rank: RANK.folder, entry: null };
  const { changes } = compareWithApproval(candidate, approval, { ...context, supportsSafePath: () => false });
  return changes.length === 0 ? "approved" : "changed";
}

const isEntry = ({ source }: Approval): boolean => source === "config";

/** True if the file is no longer a candidate; for an entry, if its settings file was deleted. */
function isGone(approval: Approval): boolean {
  const { path } = approval;
  if (isEntry(approval)) return !existsSync(fileOfEntry(approval));
  return typeof classifyFile(path, basename(path), null) === "string";
}
