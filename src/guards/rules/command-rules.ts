import type { Call } from "../command/call.ts";
import { rowFinder } from "../command/named-rows.ts";
import type { Finding } from "../guard.ts";
import {
  type CommandLine,
  type Grammar,
  hasForm,
  isHarmless,
  readCommandLine,
  withoutUnknown,
} from "./command-lines.ts";

/** A rule about command lines of certain forms. */
export interface CommandRule {
  readonly about: string;
  readonly decision: Finding["decision"];
  readonly effect: string;
  readonly instead: string;
  /** The forms for each program (`hasForm`). */
  readonly forms: Readonly<Record<string, readonly string[]>>;
}

/** A file with rules (`rules.json`). The names of programs that mean the same are joined by spaces. */
export interface RuleTable {
  readonly grammars: Readonly<Record<string, Grammar>>;
  readonly rules: Readonly<Record<string, CommandRule>>;
}

export interface CommandRules {
  readonly rules: RuleTable["rules"];
  /** The rules with forms of a program. */
  readonly formsOf: (program: string) => readonly RuleForms[];
  readonly grammarOf: (program: string) => Grammar;
}

interface RuleForms {
  readonly rule: string;
  readonly forms: readonly string[];
}

export function commandRules({ rules, grammars }: RuleTable): CommandRules {
  const finders = Object.entries(rules).map(([rule, { forms }]) => ({ rule, find: rowFinder(forms) }));
  const grammarOf = rowFinder(grammars);
  return {
    rules,
    formsOf: (program) =>
      finders.flatMap(({ rule, find }) => {
        const forms = find(program);
        return forms === undefined ? [] : [{ rule, forms }];
      }),
    grammarOf: (program) => grammarOf(program) ?? {},
  };
}

/** The command line of a call, read by the grammar of its program. */
export const lineOf = (call: Call, { grammarOf }: CommandRules): CommandLine =>
  readCommandLine(call.args, grammarOf(call.program));

/** The first rule with a form that the call has. */
export function judgeByForm(call: Call, all: CommandRules): Finding | null {
  const rows = all.formsOf(call.program);
  if (rows.length === 0) return null;
  const line = lineOf(call, all);
  if (isHarmless(line)) return null;
  const isOf = (read: CommandLine) => rows.find(({ forms }) => forms.some((form) => hasForm(read, form)));
  const surely = withoutUnknown(line);
  const known = isOf(surely);
  if (known !== undefined) return findingOf(known.rule, call, all);
  if (surely.options.length === line.options.length) return null;
  const found = findingOf(isOf(line)?.rule ?? "", call, all);
  return found === null ? null : { ...found, decision: "ask", isUnknown: true };
}

export function findingOf(rule: string, call: Call, { rules }: CommandRules): Finding | null {
  const row = rules[rule];
  if (row === undefined) return null;
  const { decision, effect, instead } = row;
  return { rule, decision, part: call.source, effect, instead };
}

/** The rules with their descriptions, as a guard lists them. */
export const aboutOf = (rules: Readonly<Record<string, { readonly about: string }>>): Record<string, string> =>
  Object.fromEntries(Object.entries(rules).map(([rule, { about }]) => [rule, about]));

/** A call and the wrappers around it, innermost first: their redirections and their place in a pipe are its own. */
function withWrappers(call: Call): readonly Call[] {
  const { parent } = call;
  return parent?.relation === "wrapper" ? [call, ...withWrappers(parent.call)] : [call];
}

export const redirectionsOf = (call: Call): Call["redirections"] =>
  withWrappers(call).flatMap(({ redirections }) => redirections);

/** The text of a call and its wrappers, which contains the redirections of descriptors. */
export const fullSource = (call: Call): string => withWrappers(call).at(-1)?.source ?? call.source;
