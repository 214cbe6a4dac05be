import { type CommandResult, print } from "../../../../src/cli/command-result.ts";
import type { CommandLine } from "../../../../src/cli/command-table.ts";
import { requirePerson } from "../../../../src/cli/prompt/require-person.ts";
import { stdoutStyle } from "../../../../src/cli/stream-style.ts";
import { createCheckedContext, createRunContext } from "../../../../src/engine/create-run-context.ts";
import { offReason } from "../../../../src/engine/hooks/select-hooks.ts";
import type { Host } from "../../../../src/engine/host.ts";
import { EXIT } from "../../../../src/protocol/exit-code.ts";
import { fail, ok, unwrap } from "../../../../src/protocol/result.ts";
import { warningLines } from "../../../../src/report/warning-lines.ts";
import { guardPlace } from "../../../guard-hooks/guard-place.ts";
import { allUnknownRules } from "../../../guard-hooks/rule-checks.ts";
import { EXAMPLES } from "../../../guards/examples.ts";
import { GUARDS } from "../../../guards/guards.ts";
import { withAddedRules } from "../../../guards/rules/added-rules.ts";
import { cageState } from "../../doctor/cage-state.ts";
import { acceptDropped } from "../../install/seal/dropped-guards.ts";
import type { Switch } from "../../install/settings-file/edit-switches.ts";
import { ruleStates } from "../../report/guard-rules-text.ts";
import {
  type GuardState,
  guardsJson,
  guardsText,
  switchesChangedJson,
  switchesChangedText,
} from "../../report/guards-text.ts";
import { editSwitches, writeSwitches } from "./switches-file.ts";
import { guardsNamed, switchesNamed } from "./switches-named.ts";
import { findUnaffected } from "./unaffected.ts";

/** `hookctl guards [NAME…]`: the built-in guards with their state; of those named also the rules and examples. */
export async function listGuards({ args, options }: CommandLine<"guards">, host: Host): Promise<CommandResult> {
  const { context } = unwrap(await createCheckedContext(options, host, false));
  const named = unwrap(guardsNamed(args));
  const { guards } = guardPlace(context);
  host.err(warningLines(await allUnknownRules(context)));
  const shown = Object.values(GUARDS).filter(({ name }) => named.length === 0 || named.includes(name));
  const states = shown.map((guard): GuardState => {
    const { name, about } = guard;
    const on = guards.find((one) => one.name === name) ?? null;
    const paused = on === null ? null : (offReason(on, context)?.reason ?? null);
    const examples = named.length > 0 ? EXAMPLES[name] : null;
    return { name, about, rules: ruleStates(withAddedRules(guard, on?.added), on), examples, on, paused };
  });
  if (options.json) return print(`${guardsJson(states)}\n`, host);
  const paths = { cwd: host.cwd, homeDir: context.scopes.homeDir };
  const style = await stdoutStyle(options, host);
  const cage = named.length > 0 ? null : cageState(context, host);
  return print(guardsText(states, { paths, hasRules: named.length > 0, cage: cage?.mode ?? null }, style), host);
}

/** `hookctl enable NAME…` and `hookctl disable NAME…`: switches guards and hooks in the settings of the user or of the project. */
export async function setSwitched(line: CommandLine<"enable" | "disable">, host: Host): Promise<CommandResult> {
  const isOn = line.command === "enable";
  if (line.args.includes("cage")) {
    const { switchCage } = await import("../cage/switch-cage.ts");
    const others = line.args.filter((name) => name !== "cage");
    const switched = await switchCage(isOn, line.options, host);
    return others.length === 0 || !switched.ok ? switched : setSwitched({ ...line, args: others }, host);
  }
  const options = { ...line.options, config: null, only: null, skip: [] };
  const { context } = unwrap(await createRunContext(options, host, false));
  const switches = await switchesNamed(line.args, isOn, context);
  // An agent may make guards stricter without a person, never looser; a hook may also allow calls.
  const isStricter = isOn && switches.every(({ key }) => key === "guards");
  if (!isStricter) await requirePerson(host);
  const isProject = options.scope === "project";
  const edited = unwrap(editSwitches({ switches, isOn, isProject }, context, host));
  const { file, changed, text } = edited;
  const removed = isOn ? [] : changed.map((name) => ({ file, name }));
  const problem = writeSwitches(edited) ?? acceptDropped(removed, context);
  if (problem !== null) return fail(problem);
  const namesOf = (key: Switch["key"]): readonly string[] =>
    switches.filter((one) => one.key === key).map(({ name }) => name);
  const [guards, hooks] = [namesOf("guards"), namesOf("overrides")];
  const hasPaths = context.settings.guards.some(({ paths }) => paths.length > 0) || /"paths"\s*:/.test(text);
  const needsPaths = isOn && guards.includes("protected-paths") && !hasPaths;
  const unaffected = await findUnaffected({ switches, isOn, isProject }, options, host);
  const done = { file, guards, hooks, isOn, isChanged: changed.length > 0, isProject, needsPaths, unaffected };
  const printed = print(options.json ? `${switchesChangedJson(done)}\n` : switchesChangedText(done), host);
  return printed.ok && unaffected.length > 0 ? ok(EXIT.checkFailed) : printed;
}
