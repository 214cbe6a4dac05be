import type { RunContext } from "../../../../src/engine/run-context.ts";
import { objectOr } from "../../../../src/protocol/json/read.ts";
import { type JsonValue, jsonText } from "../../../../src/protocol/json/write.ts";
import {
  type PersonRule,
  RULE_LISTS,
  type RuleList,
  type RuleSubject,
} from "../../../../src/protocol/rule-settings.ts";
import type { MemberEdit } from "../../install/settings-file/edit-switches.ts";

/** Where a rule is written: the user's settings, the user's settings for this project, or the project's own. */
export type RuleScope = "global" | "here" | "project";

/** The members of a settings file that have the rules of a scope. */
export const scopePath = (scope: RuleScope, { scopes }: Pick<RunContext, "scopes">): readonly string[] =>
  scope === "here" ? ["projects", scopes.rootDir] : [];

/** A rule as it is written: its text alone if it has nothing else. */
export function ruleValue({ match, reason, unless, until, once }: PersonRule): JsonValue {
  const more = {
    ...(reason !== undefined && { reason }),
    ...(unless !== undefined && unless.length > 0 && { unless }),
    ...(until !== undefined && { until }),
    ...(once !== undefined && { once }),
  };
  return Object.keys(more).length === 0 ? match : { match, ...more };
}

export interface RulePlace {
  /** The path of the scope in the file. */
  readonly scope: readonly string[];
  readonly subject: RuleSubject;
  readonly list: RuleList;
}

const pathOf = ({ scope, subject, list }: RulePlace): readonly string[] => [...scope, subject, list];

/** The items of a list of rules, as the file has them. */
export function itemsAt(root: unknown, path: readonly string[]): readonly unknown[] {
  const found = path.reduce<unknown>((value, key) => objectOr(value)[key], root);
  return Array.isArray(found) ? found : [];
}

export const matchOf = (item: unknown): unknown => (typeof item === "string" ? item : objectOr(item).match);

/** The edits that add a rule, or change the rule with this text. In one scope a text has one decision: that of the last command. */
export const addEdits = (root: unknown, place: RulePlace, rule: PersonRule): readonly MemberEdit[] => [
  ...RULE_LISTS.filter((list) => list !== place.list).flatMap((list) =>
    removeEdits(root, pathOf({ ...place, list }), rule.match),
  ),
  ...(addEdit(root, pathOf(place), rule) ?? []),
];

function addEdit(root: unknown, path: readonly string[], rule: PersonRule): readonly MemberEdit[] | null {
  const items = itemsAt(root, path);
  const value = ruleValue(rule);
  const at = items.findIndex((item) => matchOf(item) === rule.match);
  const present = items[at];
  if (at >= 0 && jsonText(ruleValue({ match: rule.match, ...objectOr(present) })) === jsonText(value)) return null;
  if (at >= 0) return [{ path: [...path, at], value }];
  return items.length === 0
    ? [{ path: [...path], value: [value] }]
    : [{ path: [...path, items.length], value, isAdded: true }];
}

/** The edits that remove each rule with this text from a list. A list that would be empty is removed. */
export function removeEdits(root: unknown, path: readonly string[], match: string): readonly MemberEdit[] {
  const items = itemsAt(root, path);
  const positions = items.flatMap((item, at) => (matchOf(item) === match ? [at] : []));
  if (positions.length > 0 && positions.length === items.length) return [{ path: [...path], value: undefined }];
  // From the end, because each edit moves the items after it.
  return positions.toReversed().map((at) => ({ path: [...path, at], value: undefined }));
}
