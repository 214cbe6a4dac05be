import { namesIn } from "../../../src/protocol/json/table.ts";
import type { Call, CommandAnalysis } from "../command/call.ts";
import type { FileAccess } from "../command/files/file-access.ts";
import type { Finding, GuardName } from "../guard.ts";
import { readCommandLine } from "../rules/command-rules.ts";
import { commandTarget, INTENTS, pathTarget, plainText } from "./target-names.ts";

const EFFECTS = new Map(
  Object.entries(INTENTS.sameEffect).flatMap(([name, rules]) => namesIn(rules).map((rule) => [rule, name] as const)),
);

/**
 * What a judged finding is about, as `guard effect target`: the same for each spelling of a command and for each program or
 * tool with the same effect, and another one for another target. A finding about several targets has one for each of them.
 */
export const intentsOf = (guard: GuardName, { rule, targets = [] }: Finding): readonly string[] =>
  [...new Set(targets)].map((target) => `${guard} ${EFFECTS.get(rule) ?? rule} ${target}`);

/** The targets of a finding whose rule names none: its file, or the command line of its call. */
export function targetsOf(
  { targets = [], part }: Finding,
  about: { readonly call: Call | null; readonly file: FileAccess | null },
  commands: readonly CommandAnalysis[],
): readonly string[] {
  if (targets.length > 0) return targets;
  if (about.file !== null) return [pathTarget(about.file.path, about.file.source)];
  // A finding about a command as a whole names the part with the call.
  const call = about.call ?? commands.flatMap(({ calls }) => calls).find(({ source }) => source === part);
  return [call === undefined ? plainText(part) : commandTarget(call.program, readCommandLine(call, {}), call)];
}
