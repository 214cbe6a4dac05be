import { namesIn } from "../../../src/protocol/json/table.ts";
import type { Examined } from "../examine.ts";
import type { GuardName } from "../guard.ts";
import type { Judged } from "../judge.ts";
import { readCommandLine } from "../rules/command-rules.ts";
import { commandTarget, INTENTS, pathTarget, plainText } from "./target-names.ts";

const EFFECTS = new Map(
  Object.entries(INTENTS.sameEffect).flatMap(([name, rules]) => namesIn(rules).map((rule) => [rule, name] as const)),
);

/**
 * What a finding is about, as `guard effect target`: the same for each spelling of a command and for each program or tool with
 * the same effect, and another one for another target. A finding about several targets has one for each of them.
 */
export const intentsOf = (guard: GuardName, judged: Judged, { commands }: Pick<Examined, "commands">) =>
  [...new Set(targetsOf(judged, commands))].map(
    (target) => `${guard} ${EFFECTS.get(judged.finding.rule) ?? judged.finding.rule} ${target}`,
  );

function targetsOf({ finding, about }: Judged, commands: Examined["commands"]): readonly string[] {
  const { targets = [], part } = finding;
  if (targets.length > 0) return targets;
  if (about.file !== null) return [pathTarget(about.file.path, about.file.source)];
  // A finding about a command as a whole names the part with the call.
  const call = about.call ?? commands.flatMap(({ calls }) => calls).find(({ source }) => source === part);
  return [call === undefined ? plainText(part) : commandTarget(call.program, readCommandLine(call.args, {}), call)];
}
