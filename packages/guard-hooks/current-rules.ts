import { dirname, join } from "node:path";
import { disk, unrepeatable } from "../../src/fs/disk.ts";
import { createFile, removeFile } from "../../src/fs/write-file.ts";
import type { EffectiveGuard } from "../../src/protocol/guard-settings.ts";
import { isExpired, type ScopedRule } from "../../src/protocol/rule-settings.ts";
import type { GuardVerdict } from "../guards/judge.ts";
import { shortHash } from "./intents/intents.ts";

/** The folder of hookctl's state with a file for each `once` rule that was used; null without such a folder. */
export const usedRulesFolder = (sessionsDir: string | null): string | null =>
  sessionsDir === null ? null : join(dirname(sessionsDir), "used-rules");

const fileOf = (folder: string, once: string): string => join(folder, shortHash(once));

/** True if a rule lets no further call pass. Without a folder nobody could tell, so it lets none pass. */
export const isUsedUp = ({ once }: Pick<ScopedRule, "once">, folder: string | null): boolean =>
  once !== undefined && (folder === null || disk.existsSync(fileOf(folder, once)));

/** The use of rules in one call. */
export interface RuleUse {
  readonly folder: string | null;
  /** What this call has used up. */
  readonly claimed: Set<string>;
}

/** The guard without the rules that have ended or were used up. */
export function withCurrentRules(guard: EffectiveGuard, { folder, claimed }: RuleUse): EffectiveGuard {
  const all = [...(guard.rules ?? []), ...guard.allow.flatMap(({ rule }) => rule ?? [])];
  if (all.every(({ until, once }) => until === undefined && once === undefined)) return guard;
  // Neither the time nor the use of a rule changes the settings.
  unrepeatable.count++;
  const now = Date.now();
  const isCurrent = (rule: ScopedRule): boolean =>
    !isExpired(rule, now) && (claimed.has(rule.once ?? "") || !isUsedUp(rule, folder));
  const allow = guard.allow.filter(({ rule }) => rule === undefined || isCurrent(rule));
  return { ...guard, allow, ...(guard.rules && { rules: guard.rules.filter(isCurrent) }) };
}

const STRICTNESS = ["allow", "ask", "block"] as const;

/**
 * Judges a call, and uses up the `once` rules without which the verdict would be stricter. Of two calls at the same time only
 * one gets the file; the other is judged without the rule.
 */
export function judgeOnce(
  guard: EffectiveGuard,
  judgeBy: (settings: EffectiveGuard) => GuardVerdict,
  use: RuleUse,
): GuardVerdict {
  const { folder, claimed } = use;
  const verdict = judgeBy(guard);
  const once = verdict.judged.find(({ allowedBy }) => {
    const id = allowedBy?.rule?.once;
    return id !== undefined && !claimed.has(id);
  })?.allowedBy?.rule?.once;
  if (once === undefined) return verdict;
  const without = { ...guard, allow: guard.allow.filter(({ rule }) => rule?.once !== once) };
  const isDecisive = rank(judgeBy(without)) > rank(verdict);
  if (!isDecisive || folder === null || !createFile(fileOf(folder, once))) return judgeOnce(without, judgeBy, use);
  use.claimed.add(once);
  return judgeOnce(guard, judgeBy, use);
}

const rank = ({ decision }: GuardVerdict): number => STRICTNESS.indexOf(decision);

/** Gives the rules of a call back that another guard blocks: they let nothing pass. */
export function releaseClaims({ folder, claimed }: RuleUse): void {
  for (const once of claimed) if (folder !== null) removeFile(fileOf(folder, once));
  claimed.clear();
}
