import type { Host } from "../host.ts";
import type { Problem } from "../protocol/problem.ts";
import { fail, ok, type Result } from "../protocol/result.ts";
import type { FileChange } from "../report/install-text.ts";
import type { InstallTarget } from "./install-target.ts";
import { presentText } from "./read-settings-text.ts";
import { removeRegistration } from "./remove-registration.ts";
import { type Backup, deleteBackup, readBackup } from "./settings-backup.ts";
import { restoreSettingsFile } from "./write-settings-files.ts";

type SettingsPath = Pick<FileChange, "file" | "shown">;

/** Gives one file back: as it was kept, or without our lines. */
export function undoInstallIn(
  place: SettingsPath,
  site: InstallTarget,
  host: Host,
  isDry: boolean,
): Result<FileChange, Problem> {
  const present = presentText(place.file, place.shown);
  if (!present.ok) return present;
  const before = present.value;
  if (before === null) return ok({ ...place, before, after: before });
  const kept = readBackup(place.file, host, "install");
  const after = textAfter(place, site, before, kept);
  if (!after.ok || isDry || after.value === before)
    return after.ok ? ok({ ...place, before, after: after.value }) : after;
  const done = restoreSettingsFile(
    { file: place.file, root: site.root },
    { before: after.value, folders: kept?.folders ?? [] },
  );
  if (!done.ok) return done;
  deleteBackup(place.file, host, "install");
  return ok({ ...place, before, after: after.value });
}

/** As it was kept; where it was edited since, or was written elsewhere, it loses our lines and nothing else. */
function textAfter(
  place: SettingsPath,
  site: InstallTarget,
  text: string,
  kept: Backup | null,
): Result<string | null, Problem> {
  if (kept !== null && kept.after === text) return ok(kept.before);
  if (place.file !== site.file) return ok(text);
  const left = removeRegistration(text, site, kept);
  return left.ok ? left : fail({ code: "AGENT_SETTINGS_NOT_PARSED", path: place.shown, ...left.error });
}
