import { projectFilesIn } from "../config/load-settings.ts";
import { realPathOrSame } from "../fs/paths.ts";
import type { Approvals } from "../protocol/approval.ts";
import type { LocatedEntry } from "../protocol/entry.ts";
import { type Candidate, type Hook, isFromProject } from "../protocol/hook.ts";
import { approvalFor } from "../trust/decide/approval-key.ts";
import { canonicalEntry } from "../trust/evidence/canonical-entry.ts";
import { projectDigest } from "../trust/evidence/canonical-settings.ts";
import { approvalFolder, declaredCommand, entryEvidence, withoutApproval } from "../trust/evidence/evidence.ts";
import type { DeclaredCommand } from "../trust/hook-files/hook-program.ts";
import { importsNothingLocal } from "../trust/hook-files/loaded-files.ts";
import type { RunContext } from "./run-context.ts";
import { settingsItem } from "./settings/project-settings.ts";

export { compareWithApproval } from "../trust/evidence/evidence.ts";

/** The digest of a project's hooks and settings, for HOOKCTL_TRUST; null: it has too many files. */
export function digestOfProject(candidates: readonly Candidate[], { plan, scopes }: RunContext): string | null {
  const settings = projectFilesIn(plan).flatMap((one) => settingsItem(one) ?? []);
  return projectDigest([...candidates.filter(isFromProject), ...settings], scopes.projectDirs);
}

type Started = Pick<Candidate | Hook, "path" | "source" | "entry" | "projectDir">;

/** True if a program in Python imports nothing from its own folder; null: it is no program. */
export function isAlone(hook: Started, approvals: () => Approvals): boolean | null {
  const { path, source, projectDir, entry } = hook;
  const declared = entry === null ? null : startOf(entry, hook, approvals());
  if (entry !== null && declared === null) return null;
  return importsNothingLocal({ path, realPath: realPathOrSame(path), source, projectDir, declared });
}

/** Uses the files of the approval, which were reviewed; without an approval the command is parsed. */
function startOf(
  entry: LocatedEntry,
  { path, source, projectDir }: Started,
  approvals: Approvals,
): DeclaredCommand | null {
  const folder = approvalFolder({ projectDir, entry });
  const approval = approvalFor({ source, path }, approvals);
  const isSame = approval !== null && approval.sha256 === canonicalEntry(entry);
  const files = isSame ? approval.files : entryEvidence(entry, path, folder, withoutApproval()).files;
  return declaredCommand(entry, folder, files);
}
