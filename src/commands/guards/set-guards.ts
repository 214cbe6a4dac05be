import { join } from "node:path";
import { type CommandResult, print } from "../../cli/command-result.ts";
import type { CommandLine } from "../../cli/command-table.ts";
import { effectiveFile } from "../../config/config-files.ts";
import { checkConfig } from "../../config/schema/check-config.ts";
import { createRunContext, type RunContext } from "../../engine/run-context.ts";
import { callerOf, findUserPaths } from "../../engine/user-paths.ts";
import { followLinks } from "../../fs/paths.ts";
import { type WriteRoot, whyNotWritable } from "../../fs/write-check.ts";
import { writeFileAtomic } from "../../fs/write-file.ts";
import type { Host } from "../../host.ts";
import { setGuards } from "../../install/settings-file/edit-guards.ts";
import { presentText } from "../../install/settings-file/read-settings-file.ts";
import { errnoCode } from "../../protocol/errno.ts";
import { GUARD_NAMES, type GuardName } from "../../protocol/guard-settings.ts";
import { isMachine } from "../../protocol/hook.ts";
import type { Problem } from "../../protocol/problem.ts";
import { fail, ok, type Result } from "../../protocol/result.ts";
import { nearest } from "../../protocol/text/nearest.ts";
import { guardsChangedJson, guardsChangedText } from "../../report/guards-text.ts";
import { requirePerson } from "../prompt/require-person.ts";

/** `hookctl enable NAME…` and `hookctl disable NAME…`: switches guards in the settings of the user or of the project. */
export async function setGuardsOn(
  { command, args, options }: CommandLine<"enable" | "disable">,
  host: Host,
): Promise<CommandResult> {
  const isOn = command === "enable";
  const names = guardsNamed(args);
  if (!names.ok) return names;
  // An agent may make guards stricter by itself, never looser.
  const refusal = isOn ? null : await requirePerson(host);
  if (refusal !== null) return fail(refusal);
  const started = await createRunContext({ ...options, config: null }, host, false);
  if (!started.ok) return started;
  const { guards } = started.value.context.settings;
  const ofMachine = guards.find((one) => isMachine(one) && names.value.includes(one.name));
  if (!isOn && ofMachine !== undefined)
    return fail({ code: "USAGE_MACHINE_HOOK", name: ofMachine.name, path: ofMachine.file });
  const written = writeGuards(
    names.value,
    { isOn, isProject: options.scope === "project" },
    started.value.context,
    host,
  );
  if (!written.ok) return written;
  const changed = { ...written.value, names: names.value, isOn, isProject: options.scope === "project" };
  return print(options.json ? `${guardsChangedJson(changed)}\n` : guardsChangedText(changed), host);
}

/** `git-safety` is another name of `git`. */
function guardsNamed(words: readonly string[]): Result<readonly GuardName[], Problem> {
  const names: GuardName[] = [];
  for (const word of words) {
    const name = GUARD_NAMES.find((one) => one === word || `${one}-safety` === word);
    if (name === undefined)
      return fail({ code: "USAGE_UNKNOWN_GUARD", name: word, nearest: nearest(word, GUARD_NAMES) });
    names.push(name);
  }
  return ok([...new Set(names)]);
}

interface Wanted {
  readonly isOn: boolean;
  readonly isProject: boolean;
}

interface Written {
  readonly file: string;
  /** False: the settings already said so. */
  readonly isChanged: boolean;
}

/** Writes guards into the settings file of a scope; a missing file is created. */
export function writeGuards(
  names: readonly GuardName[],
  { isOn, isProject }: Wanted,
  context: RunContext,
  host: Host,
): Result<Written, Problem> {
  const { homeDir, projectDir } = context.scopes;
  if (!isProject && homeDir === null) {
    const detail = "HOME is not an existing absolute folder, so there is no place for your settings.";
    return fail({ code: "USAGE_WRONG_WORDS", detail, tryThis: "HOME=DIR hookctl enable git" });
  }
  const folder = isProject ? projectDir : (homeDir ?? "");
  const file = settingsFile(folder, { isOn, isProject }, context, host);
  if (!file.endsWith(".json")) {
    const lines = names.map((name) => `${name}: ${isOn}`).join(", ");
    const detail = `${file} is YAML, which hookctl does not edit.`;
    return fail({ code: "USAGE_WRONG_WORDS", detail, tryThis: `add to it: guards: { ${lines} }` });
  }
  const root: WriteRoot = isProject ? { kind: "project", folder } : { kind: "user", userId: host.userId };
  const path = followLinks(file);
  const text = presentText(path, file);
  if (!text.ok) return text;
  const edited = setGuards(text.value ?? "", names, isOn);
  if (!edited.ok)
    return fail({ code: "CONFIG_NOT_PARSED", file, cause: `line ${edited.error.line}: ${edited.error.detail}` });
  const checked = checkConfig(JSON.parse(edited.value), file, isProject ? "project" : "user");
  if (!checked.ok) return checked;
  if (edited.value === text.value) return ok({ file, isChanged: false });
  const cause = whyNotWritable(root, path) ?? write(path, edited.value);
  return cause === null ? ok({ file, isChanged: true }) : fail({ code: "FILE_NOT_WRITTEN", path: file, cause });
}

function settingsFile(folder: string, { isProject }: Wanted, { scopes }: RunContext, host: Host): string {
  const { configHome } = findUserPaths(scopes, callerOf(host, null));
  const { homeDir } = scopes;
  const input = { projectDirs: isProject ? [folder] : [], homeDir, configHome, explicitFile: null };
  return effectiveFile(input, isProject ? "project" : "user") ?? join(folder, ".kodelet", "hooks.json");
}

function write(path: string, text: string): string | null {
  try {
    writeFileAtomic(path, text, { mode: 0o644 });
    return null;
  } catch (error) {
    return errnoCode(error) ?? String(error);
  }
}
