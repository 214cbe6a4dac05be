import { readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { followLinks } from "../../fs/paths.ts";
import { whyNotWritable } from "../../fs/write-check.ts";
import type { Problem } from "../../protocol/problem.ts";
import { fail, ok, type Result } from "../../protocol/result.ts";
import type { InstallTarget } from "../install-target.ts";
import { addRegistrations } from "../registrations-in-text.ts";
import { presentText } from "../settings-file/write-settings-files.ts";

/** A file from which an agent reads hooks. */
export type SettingsSource = Pick<InstallTarget, "file" | "shown" | "text">;

/** The other hook files of an agent that reads its whole hooks folder. */
export function otherHookFiles({
  agent,
  file,
  shown,
  root,
}: InstallTarget): Result<readonly SettingsSource[], Problem> {
  if (agent.settings.readsWholeFolder !== true) return ok([]);
  const sources: SettingsSource[] = [];
  for (const name of jsonFilesIn(dirname(file))) {
    if (name === basename(file)) continue;
    const place = join(dirname(file), name);
    const shownAs = join(dirname(shown), name);
    const cause = whyNotWritable(root, place);
    if (cause !== null) return fail({ code: "FILE_NOT_WRITTEN", path: shownAs, cause });
    const text = presentText(place, shownAs);
    if (!text.ok) return text;
    sources.push({ file: followLinks(place), shown: shownAs, text: text.value });
  }
  return ok(sources);
}

/** In byte order, as the agent runs them. */
function jsonFilesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith(".json"))
      .sort();
  } catch {
    return [];
  }
}

/** Fails if the text of a settings file cannot be edited. */
export function checkReadable(
  { agent, format }: InstallTarget,
  { text, shown }: Pick<SettingsSource, "text" | "shown">,
): Result<string, Problem> {
  const edited = addRegistrations(text ?? "", { name: agent.name, format }, []);
  return edited.ok ? edited : fail({ code: "AGENT_SETTINGS_NOT_PARSED", path: shown, ...edited.error });
}
