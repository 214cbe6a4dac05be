import type { Registration } from "../agents/agent-install.ts";
import type { Host } from "../host.ts";
import type { Problem } from "../protocol/problem.ts";
import { ok, type Result } from "../protocol/result.ts";
import type { FileChange } from "../report/install-text.ts";
import { installChanges, writeInstallChanges } from "./install-changes.ts";
import type { InstallTarget } from "./install-target.ts";
import { type SettingsUndo, undoSettingsWrites } from "./settings-file/write-settings-files.ts";
import { formerInstallUndos } from "./undo-install.ts";

/** The files that registering hookctl in one agent changes. */
export interface InstallPlan {
  readonly changes: readonly FileChange[];
  /** Where earlier versions registered: taken back, because the agent does not read it. */
  readonly former: readonly SettingsUndo[];
}

/** Decides on every change before the first one is made. */
export function planInstall(
  target: InstallTarget,
  lines: readonly Registration[],
  host: Host,
): Result<InstallPlan, Problem> {
  const changes = installChanges(target, lines);
  if (!changes.ok) return changes;
  const former = formerInstallUndos(target, host);
  return former.ok ? ok({ changes: changes.value, former: former.value }) : former;
}

export function writeInstall(target: InstallTarget, { changes, former }: InstallPlan, host: Host) {
  const undone = undoSettingsWrites(former, "install", host);
  return undone.ok ? writeInstallChanges(target, changes, host) : undone;
}
