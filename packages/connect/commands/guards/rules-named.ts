import type { RunContext } from "../../../../src/engine/run-context.ts";
import { GUARD_NAMES, type GuardName } from "../../../../src/protocol/guard-settings.ts";
import { ProblemError } from "../../../../src/protocol/result.ts";
import { nearest } from "../../../../src/protocol/text/nearest.ts";
import { GUARDS } from "../../../guards/guards.ts";
import { withAddedRules } from "../../../guards/rules/added-rules.ts";

/** One rule of a built-in guard; `name`: `git/discard-changes`. */
export interface GuardRule {
  readonly name: string;
  readonly guard: GuardName;
  readonly rule: string;
}

/** The rules of all guards with those that settings add, by the names with which `off` and `on` take them. */
export const allRules = ({ guards }: Pick<RunContext["settings"], "guards">): readonly GuardRule[] =>
  GUARD_NAMES.flatMap((guard) => {
    const { rules } = withAddedRules(GUARDS[guard], guards.find(({ name }) => name === guard)?.added);
    return Object.keys(rules).map((rule) => ({ name: `${guard}/${rule}`, guard, rule }));
  });

/** The rule that is named without its guard: `discard-changes`. */
const ruleWithoutGuard = (name: string, all: readonly GuardRule[]): GuardRule | undefined =>
  name === "cage" || GUARD_NAMES.some((guard) => guard === name) ? undefined : all.find(({ rule }) => rule === name);

export const mayNameRule = (name: string, settings: Pick<RunContext["settings"], "guards">): boolean =>
  name.includes("/") || ruleWithoutGuard(name, allRules(settings)) !== undefined;

/** The rule of this name; null if the name is not that of a guard's rule. A hook of a pack may have a slash in its name, too. */
export function ruleNamed(
  name: string,
  hookNames: readonly string[],
  settings: Pick<RunContext["settings"], "guards">,
): GuardRule | null {
  const all = allRules(settings);
  const found = all.find((rule) => rule.name === name);
  const [guard] = name.split("/");
  if (found !== undefined || hookNames.includes(name)) return found ?? null;
  const meant = ruleWithoutGuard(name, all);
  if (meant === undefined && !name.includes("/")) return null;
  const known = all.filter((rule) => rule.guard === guard).map((rule) => rule.name);
  const near = meant?.name ?? nearest(name, known.length > 0 ? known : all.map((rule) => rule.name));
  if (known.length === 0 && near === null) return null;
  const list = `hookctl guards ${(near ?? name).split("/")[0]}`;
  throw new ProblemError({ code: "USAGE_UNKNOWN_RULE", name, nearest: near, list });
}
