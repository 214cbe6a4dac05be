import type { Host } from "../../../src/engine/host.ts";
import { followLinks } from "../../../src/fs/paths.ts";
import type { AgentName } from "../../../src/protocol/agent-names.ts";
import { objectOr } from "../../../src/protocol/json/read.ts";
import { ok, type Result } from "../../../src/protocol/result.ts";
import type { CageKeys, CageValue } from "../../agents/agent.ts";
import { settingsIn } from "../../agents/protection.ts";
import { agentUserFile } from "./agent-files.ts";
import { removeChild } from "./settings-file/edit-json.ts";
import { editText } from "./settings-file/edit-switches.ts";
import { setTomlTexts, setVariables, type TextSetting } from "./settings-file/edit-values.ts";

export type CageValues = Readonly<Partial<Record<CageValue, string | undefined>>>;

/** The file of the user in which an agent has the keys of the cage. */
export function cageFile(agent: AgentName, { file }: CageKeys, homeDir: string, env: Host["env"]) {
  const named = agentUserFile(agent, file, homeDir, env);
  return { file: followLinks(named), shown: named.replace(homeDir === "" ? "\0" : homeDir, "~") };
}

export const cageLines = (cage: CageKeys, values: CageValues): readonly TextSetting[] =>
  Object.entries(cage.values).map(([key, kind]) => ({ path: key.split("."), value: values[kind] }));

/** The text of an agent's settings with other values; null if it has a form in which they cannot be set. */
export function withTexts(
  file: string,
  before: string,
  lines: readonly TextSetting[],
): Result<string | null, { readonly line: number; readonly detail: string }> {
  if (file.endsWith(".toml")) return ok(setTomlTexts(before, lines));
  if (!file.endsWith(".json")) return ok(setVariables(before, lines));
  const isOther = (settings: unknown, { path, value }: TextSetting): boolean =>
    path.reduce<unknown>((found, key) => objectOr(found)[key], settings) !== value;
  const editsFor = (settings: unknown) =>
    lines.filter((line) => isOther(settings, line)).map(({ path, value }) => ({ path: [...path], value }));
  return editText(before, editsFor, true);
}

/** In the path of each file that the keys name. */
const OF_CAGE = "/hookctl/cage/";

/** The text without the keys that name files of the cage; what the person set under these names stays. */
export function withoutCageKeys(file: string, text: string, cage: CageKeys): string {
  const ours = cageLines(cage, {}).filter(({ path }) =>
    new RegExp(`\\b${path.at(-1)}["']?\\s*[:=]\\s*["']?[^"'\\n]*${OF_CAGE}`).test(text),
  );
  if (file.endsWith(".toml")) return setTomlTexts(text, ours) ?? text;
  if (!file.endsWith(".json")) return setVariables(text, ours);
  return ours.reduce((all, { path }) => {
    const rest = removeChild(all, [...path]);
    const outer = path.slice(0, -1);
    const { settings } = settingsIn(rest, "json");
    const isEmpty = Object.keys(outer.reduce((found, key) => objectOr(found[key]), settings)).length === 0;
    return outer.length > 0 && isEmpty ? removeChild(rest, outer) : rest;
  }, text);
}
