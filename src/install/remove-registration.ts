import { ok, type Result } from "../protocol/result.ts";
import type { SettingsSyntaxError } from "./edit-json.ts";
import type { InstallTarget } from "./install-target.ts";
import type { Backup } from "./settings-backup.ts";
import { withoutRegistrations } from "./settings-text.ts";

/** What is left of settings without our lines; null: nothing, the file was made for them. */
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

/** Nothing but what a file of ours begins with. */
export function isBareObject(text: string): boolean {
  return /^\s*\{\s*(?:"version"\s*:\s*1\s*)?\}\s*$/.test(text);
}
