import type { ConfigProblem } from "../../protocol/problem.ts";
import {
  type PersonRule,
  RULE_LISTS,
  RULE_SUBJECTS,
  type RulesSettings,
  type ScopedRule,
} from "../../protocol/rule-settings.ts";
import { readSimpleCommand } from "../../shell/simple-command.ts";

type Listed = PersonRule & Pick<ScopedRule, "subject" | "list">;

/** The rules that mean nothing, or not what they seem to mean. `place` is the path of the settings in the file. */
export function ruleFaults(settings: RulesSettings, file: string, place = ""): readonly ConfigProblem[] {
  return RULE_SUBJECTS.flatMap((subject) =>
    RULE_LISTS.flatMap((list) =>
      (settings[subject]?.[list] ?? []).flatMap((rule, at) =>
        faultsOf({ ...rule, subject, list }).map(
          (detail): ConfigProblem => ({
            code: "CONFIG_BAD_VALUE",
            file,
            entry: `${place}${subject}.${list}.${at}`,
            detail,
          }),
        ),
      ),
    ),
  );
}

function faultsOf(rule: Listed): readonly string[] {
  const { match, unless = [], until, once, list } = rule;
  const texts = [match, ...unless].flatMap((text) => faultOf(text, rule) ?? []);
  const time =
    until !== undefined && Number.isNaN(Date.parse(until)) ? ["until must be like 2026-12-01T00:00:00Z"] : [];
  const use = once !== undefined && list !== "allow" ? ["only a rule of `allow` can have `once`"] : [];
  return [...texts, ...time, ...use];
}

function faultOf(text: string, { subject, list }: Listed): string | null {
  if (text.trim() === "") return "it is blank";
  if (subject === "commands") return commandFault(text, list);
  if (subject === "files" || HOST.test(text)) return null;
  return `"${text}" is not a host: registry.npmjs.org, *.example.org, example.org:8080`;
}

export const HOST = /^(?:\*|(?:\*\.)?[\w-]+(?:\.[\w-]+)*|\[[\da-f:]+\])(?::\d+)?$/i;

/** Why a pattern is not what a rule can mean; null if it is. */
function commandFault(text: string, list: Listed["list"]): string | null {
  const read = readSimpleCommand(text);
  if (!read.ok) return `"${text}" ${read.error}`;
  const { program, hasMore } = read.value;
  if (list === "allow") return program.startsWith("*") ? `"${text}" would allow every program` : null;
  return hasMore ? `"${text}" covers every variable and redirection: name only the command` : null;
}
