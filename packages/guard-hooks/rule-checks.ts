import type { RunContext } from "../../src/engine/run-context.ts";
import type { AddedRules, EffectiveGuard } from "../../src/protocol/guard-settings.ts";
import { nearest } from "../../src/protocol/text/nearest.ts";
import type { Warning } from "../../src/protocol/warning.ts";
import { loadShellParser } from "../../src/shell/load-parser.ts";
import { examine } from "../guards/examine.ts";
import type { Guard } from "../guards/guard.ts";
import { judge, NOT_READ, STANDARD_SETTINGS } from "../guards/judge.ts";
import { withAddedRules } from "../guards/rules/added-rules.ts";
import type { Rule } from "../guards/rules/command-rules.ts";
import { guardPlace } from "./guard-place.ts";
import { loadRules } from "./load-rules.ts";

export type UnknownRule = Extract<Warning, { readonly code: "NO_SUCH_RULE" }>;

/** The rules in the settings of a guard that the guard does not have: a misspelt name decides nothing. */
export function unknownRules({ ruleSettings }: EffectiveGuard, { name, rules }: Guard): readonly UnknownRule[] {
  const unknown = Object.keys(ruleSettings).filter((rule) => rule !== NOT_READ && !Object.hasOwn(rules, rule));
  return unknown.map((rule) => {
    const near = nearest(rule, Object.keys(rules));
    return { code: "NO_SUCH_RULE", name: `${name}/${rule}`, nearest: near === null ? null : `${name}/${near}` };
  });
}

/** The same of all guards that are on. */
export async function allUnknownRules(context: RunContext): Promise<readonly UnknownRule[]> {
  const place = guardPlace(context);
  const found = place.guards.map(async (guard) => unknownRules(guard, await loadRules(guard.name, place)));
  return (await Promise.all(found)).flat();
}

/** An example of an added rule that the rules judge in another way than it says. */
export interface ExampleFault {
  readonly file: string;
  readonly rule: string;
  readonly detail: string;
}

const PLACE = { folder: "/home/dev/project", home: "/home/dev", project: "/home/dev/project", variables: {} };

/** Runs the examples of added rules: nothing of them is executed. */
export async function exampleFaults(added: AddedRules): Promise<readonly ExampleFault[]> {
  await loadShellParser();
  const { name, file = "" } = added;
  const guard = withAddedRules({ name, about: "", rules: {}, decisions: {}, programs: [] }, [added]);
  const rulesOn = (command: string): readonly string[] => {
    const examined = examine({ commands: [command], folder: null, files: [] }, PLACE);
    return judge(examined, { rules: guard, settings: STANDARD_SETTINGS }).judged.map(({ finding }) => finding.rule);
  };
  return Object.entries(added.rules as Readonly<Record<string, Rule>>).flatMap(([rule, { examples }]) => {
    const missed = examples?.stopped.filter((command) => !rulesOn(command).includes(rule)) ?? [];
    const stopped = examples?.allowed.filter((command) => rulesOn(command).length > 0) ?? [];
    const fault = (command: string, how: string): ExampleFault => {
      return { file, rule: `${name}/${rule}`, detail: `its example \`${command}\` is ${how}` };
    };
    return [
      ...missed.map((command) => fault(command, "not stopped by it")),
      ...stopped.map((command) => fault(command, "stopped")),
    ];
  });
}

/** The same of all rules that are added in a call. */
export async function allExampleFaults(context: RunContext): Promise<readonly ExampleFault[]> {
  const all = guardPlace(context).guards.flatMap(({ added = [] }) => added);
  return (await Promise.all(all.map(exampleFaults))).flat();
}
