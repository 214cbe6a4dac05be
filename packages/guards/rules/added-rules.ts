import type { AddedRules } from "../../../src/protocol/guard-settings.ts";
import { type Guard, strictest } from "../guard.ts";
import { type Rule, type RuleTable, readRules } from "./command-rules.ts";

/** The guard with rules that settings add to it, which were checked when the settings were read. They add findings, and take none away. */
export function withAddedRules(guard: Guard, added: readonly AddedRules[] = []): Guard {
  const tables = added.map((one) => readRules(tableWith(one)));
  if (tables.length === 0) return guard;
  // A description of hookctl's own rule is not replaced.
  const parts = [...tables.map((table) => table.guard), guard];
  return {
    ...guard,
    rules: Object.assign({}, ...parts.map(({ rules }) => rules)),
    decisions: Object.assign({}, ...parts.map(({ decisions }) => decisions)),
    staysBlocked: parts.flatMap((part) => part.staysBlocked ?? []),
    programs: parts.flatMap(({ programs }) => programs),
    judgeCall: (call, context) =>
      strictest([guard.judgeCall?.(call, context) ?? null, ...tables.map(({ judgeByForm }) => judgeByForm(call))]),
  };
}

function tableWith(added: AddedRules): RuleTable<string> {
  const rules = added.rules as RuleTable<string>["rules"];
  const programs = Object.values<Rule>(rules).flatMap(({ forms = {} }) => Object.keys(forms));
  return { ...added, about: "", programs: programs.join(" "), rules };
}
