import type { Registration } from "../agents/agent-install.ts";
import type { Host } from "../host.ts";
import type { Problem } from "../protocol/problem.ts";
import { fail, ok, type Result } from "../protocol/result.ts";
import type { FileChange } from "../report/install-text.ts";
import type { InstallTarget } from "./install-target.ts";
import { companionFiles } from "./install-target.ts";
import { addRegistrations } from "./registrations-in-text.ts";
import { removeRegistration } from "./remove-registration.ts";
import { presentText } from "./settings-file/read-settings-file.ts";
import type { RemoveOurs } from "./settings-file/settings-backup.ts";
import { writeSettingsFiles } from "./settings-file/write-settings-files.ts";

/** The settings file and its companion files with the registrations in them. */
export function installChanges(
  target: InstallTarget,
  lines: readonly Registration[],
): Result<readonly FileChange[], Problem> {
  const { agent, scope, file, shown, format, text: before } = target;
  const after = addRegistrations(before ?? "", { name: agent.name, format, isMachine: scope === "machine" }, lines);
  if (!after.ok) return fail({ code: "AGENT_SETTINGS_NOT_PARSED", path: shown, ...after.error });
  const changes: FileChange[] = [{ file, shown, before, after: after.value }];
  for (const { value, ...place } of companionFiles(target)) {
    const text = presentText(place.file, place.shown);
    if (!text.ok) return text;
    changes.push({ ...place, before: text.value, after: text.value ?? `${JSON.stringify(value, null, 2)}\n` });
  }
  return ok(changes);
}

export function writeInstallChanges(target: InstallTarget, changes: readonly FileChange[], host: Host) {
  const removeOurs: RemoveOurs = (text, backup) => {
    const left = removeRegistration(text, target, backup);
    return left.ok ? left.value : text;
  };
  const writes = changes.flatMap(({ file, before, after }) =>
    after === null || before === after ? [] : [{ file, root: target.root, before, after, removeOurs }],
  );
  return writeSettingsFiles(writes, "install", host);
}
