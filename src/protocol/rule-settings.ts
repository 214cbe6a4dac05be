import type { Source } from "./hook-kind.ts";
import type { RuleSettings } from "./setting-rows.ts";

/** What a person's rules are about. */
export const RULE_SUBJECTS = ["commands", "files", "hosts"] as const;
export type RuleSubject = (typeof RULE_SUBJECTS)[number];
export const RULE_LISTS = ["block", "ask", "allow"] as const;
export type RuleList = (typeof RULE_LISTS)[number];

/** A person's rule. In a settings file its text alone is enough. */
export interface PersonRule extends RuleSettings {
  readonly match: string;
}

/** The rules of one settings file. */
export type RulesSettings = Readonly<
  Partial<Record<RuleSubject, Readonly<Partial<Record<RuleList, readonly PersonRule[]>>>>>
>;

/** A rule with its origin. */
export interface ScopedRule extends PersonRule {
  readonly subject: RuleSubject;
  readonly list: RuleList;
  readonly file: string;
  readonly source: Source;
  /** The strength of its scope: 0 is the machine, 1 the person for this project, 2 the person, 3 a project. */
  readonly level: number;
  /** The project's folder, in which an `allow` applies; null: everywhere. */
  readonly folder: string | null;
}

/** True once the time `until` is over. */
export const isExpired = ({ until }: Pick<PersonRule, "until">, nowMs: number): boolean =>
  until !== undefined && Date.parse(until) <= nowMs;

/** The rules of a settings file in the order of the file, with their lists. */
export const rulesIn = (settings: RulesSettings): readonly (PersonRule & Pick<ScopedRule, "subject" | "list">)[] =>
  RULE_SUBJECTS.flatMap((subject) =>
    RULE_LISTS.flatMap((list) => (settings[subject]?.[list] ?? []).map((rule) => ({ ...rule, subject, list }))),
  );

/** True if the settings stop or question anything. */
export const hasStoppingRules = (settings: RulesSettings): boolean =>
  RULE_SUBJECTS.some((subject) => {
    const { block = [], ask = [] } = settings[subject] ?? {};
    return block.length + ask.length > 0;
  });
