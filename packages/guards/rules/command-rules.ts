import { namesIn, tableOf } from "../../../src/protocol/json/table.ts";
import type { Call } from "../command/call.ts";
import { rowFinder } from "../command/named-rows.ts";
import type { Finding, Guard } from "../guard.ts";
import {
  type CommandLine,
  type Grammar,
  hasForm,
  isHarmless,
  readCommandLine,
  withoutUnknown,
} from "./command-lines.ts";

/** A rule of a guard. Without forms it is judged by code, which may also give the decision and the effect. */
export interface Rule {
  readonly about: string;
  readonly decision?: Finding["decision"];
  readonly effect?: string;
  readonly instead: string;
  /** The forms of command lines that it stops (`hasForm`), by the names of the programs, separated by spaces. */
  readonly forms?: Readonly<Record<string, readonly string[]>>;
}

/** The file `rules.json` of a guard. */
interface RuleTable<Name extends string> extends Pick<Guard, "name" | "about"> {
  readonly programs: string;
  /** How programs read their arguments, by their names. */
  readonly grammars?: Readonly<Record<string, Grammar>>;
  readonly rules: Readonly<Record<Name, Rule>>;
}

/** What code adds to a rule, or replaces in it. */
type Details = Partial<Pick<Finding, "decision" | "effect" | "instead" | "isUnknown">>;

export interface Rules<Name extends string = string> {
  /** The guard without its functions. */
  readonly guard: Guard;
  readonly find: (rule: Name, part: string, details?: Details) => Finding;
  /** The command line of a call, read by the grammar of its program. */
  readonly lineOf: (call: Call) => CommandLine;
  /** The finding of the first rule with a form that the call has. */
  readonly judgeByForm: (call: Call) => Finding | null;
}

/** The rules of a table. Its type is known by the names of the rules in the JSON file. */
export function readRules<Name extends string>(json: { readonly rules: Readonly<Record<Name, unknown>> }): Rules<Name> {
  const { name, about, programs, rules, grammars = {} } = tableOf<RuleTable<Name>>(json);
  const names: Name[] = [];
  for (const rule in rules) names.push(rule);
  const finders = names.map((rule) => ({ rule, formsOf: rowFinder(rules[rule].forms ?? {}) }));
  const grammarOf = rowFinder(grammars);

  const find = (rule: Name, part: string, details: Details = {}): Finding => {
    const { decision = "block", effect = "", instead } = rules[rule];
    return { rule, decision, part, effect, instead, ...details };
  };
  const lineOf = ({ program, args }: Call): CommandLine => readCommandLine(args, grammarOf(program) ?? {});
  const judgeByForm = (call: Call): Finding | null => {
    const rows = finders.flatMap(({ rule, formsOf }) => (formsOf(call.program) ?? []).map((form) => ({ rule, form })));
    if (rows.length === 0) return null;
    const line = lineOf(call);
    if (isHarmless(line)) return null;
    const ruleOf = (read: CommandLine): Name | undefined => rows.find(({ form }) => hasForm(read, form))?.rule;
    const surely = withoutUnknown(line);
    const known = ruleOf(surely);
    if (known !== undefined) return find(known, call.source);
    const possible = surely.options.length === line.options.length ? undefined : ruleOf(line);
    return possible === undefined ? null : find(possible, call.source, { decision: "ask", isUnknown: true });
  };
  const descriptions = Object.fromEntries(names.map((rule) => [rule, rules[rule].about]));
  return { guard: { name, about, rules: descriptions, programs: namesIn(programs) }, find, lineOf, judgeByForm };
}

/** A call and the wrappers around it, innermost first: their redirections and their place in a pipe are its own. */
function withWrappers(call: Call): readonly Call[] {
  const { parent } = call;
  return parent?.relation === "wrapper" ? [call, ...withWrappers(parent.call)] : [call];
}

export const redirectionsOf = (call: Call): Call["redirections"] =>
  withWrappers(call).flatMap(({ redirections }) => redirections);

/** The text of a call and its wrappers, which contains the redirections of descriptors. */
export const fullSource = (call: Call): string => withWrappers(call).at(-1)?.source ?? call.source;
