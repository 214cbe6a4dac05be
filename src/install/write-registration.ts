import type { Registration } from "../agents/agent-install.ts";
import type { Host } from "../host.ts";
import type { Problem } from "../protocol/problem.ts";
import { fail, ok, type Result } from "../protocol/result.ts";
import type { FileChange } from "../report/install-text.ts";
import type { InstallTarget } from "./install-target.ts";
import { companionFiles } from "./install-target.ts";
import { presentText } from "./read-settings-text.ts";
import { removeRegistration } from "./remove-registration.ts";
import { addRegistrations } from "./settings-text.ts";
import { type SettingsWrite, writeSettingsFiles } from "./write-settings-files.ts";

export function installChanges(
  site: InstallTarget,
  lines: readonly Registration[],
): Result<readonly FileChange[], Problem> {
  const { agent, file, shown, format, text: before } = site;
  const after = addRegistrations(before ?? "", { name: agent.name, format }, lines);
  if (!after.ok) return fail({ code: "AGENT_SETTINGS_NOT_PARSED", path: shown, ...after.error });
  const changes: FileChange[] = [{ file, shown, before, after: after.value }];
  for (const { value, ...place } of companionFiles(site)) {
    const text = presentText(place.file, place.shown);
    if (!text.ok) return text;
    changes.push({ ...place, before: text.value, after: text.value ?? `${JSON.stringify(value, null, 2)}\n` });
  }
  return ok(changes);
}

/** What was not kept, or was edited since, is given back without our lines. */
export function writeInstallChanges(site: InstallTarget, changes: readonly FileChange[], host: Host) {
  const undone: SettingsWrite["undone"] = (text, kept) => {
    const left = removeRegistration(text, site, kept);
    return left.ok ? left.value : text;
  };
  const replacements = changes.flatMap(({ file, before, after }) =>
    after === null || before === after ? [] : [{ file, root: site.root, before, after, undone }],
  );
  return writeSettingsFiles(replacements, "install", host);
}
