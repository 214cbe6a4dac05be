import { GUARD_NAMES } from "../../../src/protocol/guard-settings.ts";
import { ownValue } from "../../../src/protocol/own-value.ts";
import { type Guard, type GuardName, strictest } from "../guard.ts";
import { type Rule, type RuleTable, readRules } from "./command-rules.ts";

/** Rules of a file that is no part of hookctl, in the format of `rules.json`. They are added to those of one guard. */
export type RuleFile = RuleTable<string>;

type Fields = Readonly<Record<string, unknown>>;

const FILE_KEYS = ["$schema", "name", "about", "programs", "grammars", "harmless", "rules"];
const RULE_KEYS = ["why", "about", "decision", "effect", "instead", "forms", "examples"];
const LONGEST_TEXT = 500;

/** Reads a file of rules; a text is its fault. The check costs little, because each call makes it. */
export function readRuleFile(text: string): RuleFile | string {
  const file = parsed(text);
  if (file === null) return "it is not a JSON object";
  const { name, harmless = {}, grammars = {}, rules } = file;
  if (!isGuardName(name)) return `"name" is not a guard: ${GUARD_NAMES.join(", ")}`;
  if (!isObject(rules)) return '"rules" is missing';
  const fault =
    unknownKey(file, FILE_KEYS) ??
    formsFault(harmless, "harmless") ??
    (isObject(grammars) && Object.values(grammars).every(isObject) ? null : '"grammars" has objects by program') ??
    Object.entries(rules).reduce<string | null>((found, [rule, value]) => found ?? ruleFault(rule, value), null);
  if (fault !== null) return fault;
  const read = rules as Readonly<Record<string, Rule>>;
  const programs = Object.values(read).flatMap(({ forms = {} }) => Object.keys(forms));
  return { ...(file as unknown as RuleFile), about: "", programs: programs.join(" ") };
}

/** The guard with the rules of files that name it. They add findings, and take none away. */
export function withRuleFiles(guard: Guard, files: readonly RuleFile[]): Guard {
  const added = files.filter(({ name }) => name === guard.name).map((file) => readRules(file));
  if (added.length === 0) return guard;
  const parts = [guard, ...added.map((rules) => rules.guard)];
  return {
    ...guard,
    rules: Object.assign({}, ...parts.map(({ rules }) => rules)),
    decisions: Object.assign({}, ...parts.map(({ decisions }) => decisions)),
    programs: parts.flatMap(({ programs }) => programs),
    judgeCall: (call, context) =>
      strictest([guard.judgeCall?.(call, context) ?? null, ...added.map(({ judgeByForm }) => judgeByForm(call))]),
  };
}

function ruleFault(rule: string, value: unknown): string | null {
  if (!/^[a-z][a-z\d-]{0,60}$/.test(rule) || !isObject(value)) return `"${rule}" is not the name of a rule`;
  const text = ["about", "effect", "instead"].find((key) => !isText(ownValue(value, key)));
  if (text !== undefined) return `${rule}.${text} is not a text of up to ${LONGEST_TEXT} characters`;
  const { decision, examples, forms } = value;
  if (decision !== "block" && decision !== "ask") return `${rule}.decision is "block" or "ask"`;
  const shown = isObject(examples) ? [examples.stopped, examples.allowed] : [];
  if (shown.length === 0 || !shown.every(isTextList))
    return `${rule}.examples has the lists "stopped" and "allowed", each with a command`;
  return unknownKey(value, RULE_KEYS) ?? formsFault(forms, `${rule}.forms`);
}

function formsFault(forms: unknown, place: string): string | null {
  const isFine = isObject(forms) && Object.values(forms).every((list) => isTextList(list) || isEveryLine(list));
  return isFine ? null : `${place} has lists of forms by program`;
}

/** `[""]` is every command line of the program. */
const isEveryLine = (list: unknown): boolean => Array.isArray(list) && list.length === 1 && list[0] === "";

const unknownKey = (value: Fields, known: readonly string[]): string | null => {
  const key = Object.keys(value).find((one) => !known.includes(one));
  return key === undefined ? null : `unknown key "${key}"`;
};

function parsed(text: string): Fields | null {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

const isObject = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const isText = (value: unknown): value is string =>
  typeof value === "string" && value.trim() !== "" && value.length <= LONGEST_TEXT;

const isTextList = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.length > 0 && value.every(isText);

const isGuardName = (name: unknown): name is GuardName => GUARD_NAMES.some((one) => one === name);
