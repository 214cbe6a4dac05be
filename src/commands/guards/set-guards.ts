import { type CommandResult, print } from "../../cli/command-result.ts";
import type { CommandLine } from "../../cli/command-table.ts";
import { createRunContext } from "../../engine/run-context.ts";
import type { Host } from "../../host.ts";
import { isMachine } from "../../protocol/hook.ts";
import { fail } from "../../protocol/result.ts";
import { guardsChangedJson, guardsChangedText } from "../../report/guards-text.ts";
import { requirePerson } from "../prompt/require-person.ts";
import { guardsNamed } from "./guard-names.ts";
import { editGuards, writeGuards } from "./guard-settings-file.ts";

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
  const { context } = started.value;
  const ofMachine = context.settings.guards.find((one) => isMachine(one) && names.value.includes(one.name));
  if (!isOn && ofMachine !== undefined)
    return fail({ code: "USAGE_MACHINE_HOOK", name: ofMachine.name, path: ofMachine.file });
  const isProject = options.scope === "project";
  const edited = editGuards({ names: names.value, isOn, isProject }, context, host);
  if (!edited.ok) return edited;
  const problem = writeGuards(edited.value);
  if (problem !== null) return fail(problem);
  const { file, changed } = edited.value;
  const hasPaths =
    context.settings.guards.some(({ paths }) => paths.length > 0) || /"paths"\s*:/.test(edited.value.text);
  const needsPaths = isOn && names.value.includes("protected-paths") && !hasPaths;
  const report = { file, isChanged: changed.length > 0, names: names.value, isOn, isProject, needsPaths };
  return print(options.json ? `${guardsChangedJson(report)}\n` : guardsChangedText(report), host);
}
