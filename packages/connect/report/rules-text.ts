import type { GuardName } from "../../../src/protocol/guard-settings.ts";
import { type JsonRecord, printableJson } from "../../../src/protocol/json/write.ts";
import type { PersonRule, RuleList, RuleSubject } from "../../../src/protocol/rule-settings.ts";
import { shellQuote } from "../../../src/protocol/text/shell-quote.ts";
import { truncateEscaped } from "../../../src/protocol/text/text.ts";
import { displayPath, type PathContext } from "../../../src/report/display-path.ts";
import { nameColumn, type Style } from "../../../src/report/text-style.ts";

interface RuleRow extends PersonRule {
  /** What it is about; absent for an entry of the list `allow` of a guard. */
  readonly subject?: RuleSubject;
  readonly guard?: GuardName;
  readonly list: RuleList;
  readonly scope: "machine" | "here" | "global" | "project";
  readonly file: string;
  readonly ineffective: string | null;
}

/** A rule that a command wrote. */
export interface AddedRule extends RuleRow {
  readonly subject: RuleSubject;
  readonly project: string | null;
  /** False if the settings had it already. */
  readonly isChanged: boolean;
  /** Calls in other spellings that it covers. */
  readonly examples: readonly string[];
  /** False if no agent calls hookctl here. */
  readonly isConnected: boolean;
}

const WIDE = 200;
const shown = (text: string, most = WIDE): string => truncateEscaped(text, most);
const VERBS: Readonly<Record<RuleList, string>> = { block: "block", ask: "ask about", allow: "allow" };
const WHERE: Readonly<Record<RuleRow["scope"], string>> = {
  machine: "on this machine",
  here: "for you in this project",
  global: "for you everywhere",
  project: "in this project",
};

/** What was written, what it covers, and how to take it back. */
export function addedRuleText(rule: AddedRule, paths: PathContext): string {
  const { match, list, subject, scope, file, isChanged, examples, isConnected, ineffective, reason, until, once } =
    rule;
  const head = `${VERBS[list]} ${shown(match)}, ${WHERE[scope]}`;
  const at = displayPath(file, paths);
  const covers =
    examples.length === 0 ? [] : ["Also covers, for example:\n", ...examples.map((one) => `  ${shown(one)}\n`)];
  const lines = [
    isChanged ? `${ineffective === null ? "✔" : "•"} ${head} (${at})\n` : `Already there: ${head} (${at})\n`,
    ...(ineffective === null ? [] : [`✖ It has no effect: ${ineffective}\n`]),
    ...(reason === undefined ? [] : [`  reason: ${shown(reason)}\n`]),
    ...(until === undefined ? [] : [`  until ${until}\n`]),
    ...(once === undefined ? [] : ["  for one call\n"]),
    `${CANONICAL[subject]} ${shown(match)}${list === "allow" && !match.endsWith(" *") ? ", and nothing more" : ""}\n`,
    ...covers,
    ...(isConnected ? [] : ["▲ No agent calls hookctl here: hookctl init\n"]),
  ];
  const trust =
    scope === "project" && isChanged ? "The change has no effect until you approve it: hookctl trust\n" : "";
  return `${lines.join("")}${trust}Remove it: hookctl rules remove ${shown(shellQuote(match))}\n`;
}

const CANONICAL: Readonly<Record<RuleSubject, string>> = { commands: "Command:", files: "Files:", hosts: "Hosts:" };

/** `hookctl.rule/1`. */
export const addedRuleJson = (rule: AddedRule): string =>
  printableJson({
    schema: "hookctl.rule/1",
    ...ruleJson(rule),
    project: rule.project,
    changed: rule.isChanged,
    examples: rule.examples,
    connected: rule.isConnected,
  });

const ruleJson = ({
  match,
  subject,
  guard,
  list,
  scope,
  file,
  reason,
  unless,
  until,
  once,
  ineffective,
}: RuleRow): JsonRecord => ({
  decision: list,
  subject,
  guard,
  match,
  reason,
  unless,
  until,
  once,
  scope,
  file,
  effective: ineffective === null,
  why: ineffective ?? undefined,
});

/** All rules, one line each; the strongest scope first. */
export function listRulesText(rules: readonly RuleRow[], paths: PathContext, style: Style): string {
  const hint = "Add one: hookctl ask 'npm publish *'\n";
  if (rules.length === 0) return `No rules of your own apply here.\n${hint}`;
  const named = nameColumn(rules.map(({ match }) => shown(match, 60)));
  const lines = rules.map((rule) => {
    const { match, guard, list, scope, file, ineffective, reason, until, once } = rule;
    const word = list.padEnd(5);
    const paint = ineffective !== null ? style.faint : { block: style.bad, ask: style.warn, allow: style.good }[list];
    const facts = [
      ...(ineffective === null ? [] : [`no effect: ${ineffective}`]),
      ...(reason === undefined ? [] : [shown(reason, 80)]),
      ...(until === undefined || ineffective !== null ? [] : [`until ${until}`]),
      ...(once === undefined ? [] : ["once"]),
      ...(guard === undefined ? [] : [`the guard ${guard}`]),
      `${WHERE[scope]} (${displayPath(file, paths)})`,
    ];
    return `${paint(word)}  ${named(shown(match, 60))}  ${style.faint(facts.join(", "))}\n`;
  });
  const own = rules.find(({ scope }) => scope !== "machine");
  const remove = own === undefined ? hint : `Remove one: hookctl rules remove ${shown(shellQuote(own.match))}\n`;
  return `${lines.join("")}${remove}`;
}

/** `hookctl.rules/1`. */
export const listRulesJson = (rules: readonly RuleRow[]): string =>
  printableJson({ schema: "hookctl.rules/1", rules: rules.map(ruleJson) });

export interface RemovedRule extends Pick<RuleRow, "match" | "subject" | "guard" | "list" | "scope"> {}

export const removedRulesText = (file: string, removed: readonly RemovedRule[], paths: PathContext): string =>
  removed
    .map(({ match, guard, list, scope }) => {
      const by = guard === undefined ? "" : ` by the guard ${guard}`;
      return `✔ removed: ${VERBS[list]} ${shown(match)}${by}, ${WHERE[scope]} (${displayPath(file, paths)})\n`;
    })
    .join("");

export const removedRulesJson = (file: string, removed: readonly RemovedRule[]): string =>
  printableJson({
    schema: "hookctl.rules-removed/1",
    file,
    removed: removed.map(({ match, subject, guard, list, scope }) => ({
      decision: list,
      subject,
      guard,
      match,
      scope,
    })),
  });
