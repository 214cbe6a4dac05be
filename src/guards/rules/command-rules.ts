import type { Call } from "../command/call.ts";
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
  /** The forms for each program; names that mean the same are joined by `|`. */
  readonly forms: Readonly<Record<string, readonly string[]>>;
}

/** The rules of a guard, with the grammar of each program. */
export interface CommandRules {
  readonly rules: Readonly<Record<string, CommandRule>>;
  readonly byProgram: ReadonlyMap<string, readonly RuleForm[]>;
  readonly grammars: ReadonlyMap<string, Grammar>;
}

interface RuleForm {
  readonly rule: string;
  readonly form: string;
}

export function commandRules(
  rules: Readonly<Record<string, CommandRule>>,
  grammars: Readonly<Record<string, Grammar>>,
): CommandRules {
  const byProgram = new Map<string, RuleForm[]>();
  for (const [rule, { forms }] of Object.entries(rules))
    for (const [names, list] of Object.entries(forms))
      for (const name of names.split("|"))
        byProgram.set(name, [...(byProgram.get(name) ?? []), ...list.map((form) => ({ rule, form }))]);
  const rows = Object.entries(grammars).flatMap(([names, grammar]) =>
    names.split("|").map((name) => [name, grammar] as const),
  );
  return { rules, byProgram, grammars: new Map(rows) };
}

/** The command line of a call, read by the grammar of its program. */
export const lineOf = (call: Call, { grammars }: CommandRules): CommandLine =>
  readCommandLine(call.args, grammars.get(call.program) ?? {});

/** The first rule with a form that the call has. */
export function judgeByForm(call: Call, all: CommandRules): Finding | null {
  const forms = all.byProgram.get(call.program);
  if (forms === undefined) return null;
  const line = lineOf(call, all);
  if (isHarmless(line)) return null;
  const isOf = (read: CommandLine) => forms.find(({ form }) => hasForm(read, form));
  const known = isOf(withoutUnknown(line));
  if (known !== undefined) return findingOf(known.rule, call, all);
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
