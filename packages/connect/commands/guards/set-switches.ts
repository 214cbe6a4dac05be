import { type CommandResult, print } from "../../../../src/cli/command-result.ts";
import type { CommandLine, CommonOptions } from "../../../../src/cli/command-table.ts";
import { requirePerson } from "../../../../src/cli/prompt/require-person.ts";
import { createRunContext } from "../../../../src/engine/create-run-context.ts";
import type { Host } from "../../../../src/engine/host.ts";
import { EXIT } from "../../../../src/protocol/exit-code.ts";
import { fail, ok, ProblemError, unwrap } from "../../../../src/protocol/result.ts";
import { acceptDropped } from "../../install/seal/dropped-guards.ts";
import type { Switch } from "../../install/settings-file/edit-switches.ts";
import { switchesChangedJson, switchesChangedText } from "../../report/guards-text.ts";
import { userPaths } from "../../report/user-paths.ts";
import { rulesLeftOff } from "./rule-switches.ts";
import { editSwitches, writeSwitches } from "./switches-file.ts";
import { switchesNamed } from "./switches-named.ts";
import { findUnaffected } from "./unaffected.ts";

/** Which guards and hooks are switched, and in which settings. */
export interface SwitchChoice {
  readonly names: readonly string[];
  readonly isOn: boolean;
  /** In the project's settings; else in the user's. */
  readonly isProject: boolean;
  /** In the user's settings, but only for this project. */
  readonly isHere: boolean;
  readonly isDry: boolean;
}

/** The former commands `enable` and `disable`. */
export const setSwitched = (
  { command, args, options }: CommandLine<"enable" | "disable">,
  host: Host,
): Promise<CommandResult> => {
  const isProject = options.scope === "project";
  return switchNames(
    { names: args, isOn: command === "enable", isProject, isHere: false, isDry: false },
    options,
    host,
  );
};

/** Switches guards, hooks and the cage in the settings of the user or of the project. */
export async function switchNames(choice: SwitchChoice, given: CommonOptions, host: Host): Promise<CommandResult> {
  const { names, isOn, isProject, isHere, isDry } = choice;
  if (names.includes("cage")) {
    if (isDry || isHere || isProject) throw wrongWords("The cage is in your settings, for all projects.", isOn);
    const { switchCage } = await import("../cage/switch-cage.ts");
    const others = names.filter((name) => name !== "cage");
    const switched = await switchCage(isOn, given, host);
    return others.length === 0 || !switched.ok ? switched : switchNames({ ...choice, names: others }, given, host);
  }
  const options = { ...given, config: null, only: null, skip: [] };
  const { context } = unwrap(await createRunContext(options, host, false));
  const switches = await switchesNamed(names, isOn, context);
  // An agent may make guards stricter without a person, never looser; a hook may also allow calls.
  const isStricter = isOn && switches.every(({ key }) => key === "guards");
  if (!isStricter && !isDry) await requirePerson(host);
  const namesOf = (key: Switch["key"]): readonly string[] =>
    switches.filter((one) => one.key === key).map(({ name }) => name);
  const [guards, hooks] = [namesOf("guards"), namesOf("overrides")];
  if (isHere && hooks.length > 0) throw wrongWords(`--here is for guards and their rules, not for ${hooks[0]}.`, isOn);
  const edited = unwrap(editSwitches({ switches, isOn, isProject, isHere }, context, host));
  const { file, changed } = edited;
  // A guard that was missing already is accepted, too, because the person names it; in one project it stays missed.
  const removed = isOn || isHere ? [] : changed.map((name) => ({ file, name }));
  const problem = isDry ? null : ((await writeSwitches(edited)) ?? acceptDropped(removed, context));
  if (problem !== null) return fail(problem);
  const hasPaths = context.settings.guards.some(({ paths }) => paths.length > 0) || /"paths"\s*:/.test(edited.text);
  const needsPaths = isOn && guards.includes("protected-paths") && !hasPaths;
  const unaffected = isDry ? [] : await findUnaffected({ switches, isOn, isProject }, options, host);
  const applied = { ...options, trust: options.trust || isProject };
  const rulesOff = isOn && !isDry ? await rulesLeftOff(guards, applied, host) : [];
  const isChanged = changed.length > 0;
  const done = { file, guards, hooks, isOn, isChanged, isProject, isHere, isDry, needsPaths, unaffected, rulesOff };
  const text = options.json ? `${switchesChangedJson(done)}\n` : switchesChangedText(done, userPaths(context));
  const printed = print(text, host);
  return printed.ok && unaffected.length > 0 ? ok(EXIT.checkFailed) : printed;
}

const wrongWords = (detail: string, isOn: boolean): ProblemError =>
  new ProblemError({ code: "USAGE_WRONG_WORDS", detail, tryThis: `hookctl ${isOn ? "on" : "off"} --help` });
