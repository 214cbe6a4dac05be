import { ok, type Result } from "../protocol/result.ts";
import type { InstallTarget } from "./install-target.ts";
import { withoutRegistrations } from "./registrations-in-text.ts";
import type { SettingsSyntaxError } from "./settings-file/edit-json.ts";
import type { Backup } from "./settings-file/settings-backup.ts";

/** The settings without registrations; null if nothing is left and hookctl created the file. */
export function removeRegistration(
  text: string,
  target: InstallTarget,
  kept: Backup | null,
): Result<string | null, SettingsSyntaxError> {
  const { agent, format } = target;
  const left = withoutRegistrations(text, { name: agent.name, format });
  if (!left.ok || left.value === text) return left;
  const isOurs = format === "module" ? left.value === "" : kept?.before === null && isBareObject(left.value);
  return ok(isOurs ? null : left.value);
}

/** True for an object with at most a `version`. */
export function isBareObject(text: string): boolean {
  return /^\s*\{\s*(?:"version"\s*:\s*1\s*)?\}\s*$/.test(text);
}
