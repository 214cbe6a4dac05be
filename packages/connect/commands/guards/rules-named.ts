import { GUARD_NAMES, type GuardName } from "../../../../src/protocol/guard-settings.ts";
import { ProblemError } from "../../../../src/protocol/result.ts";
import { nearest } from "../../../../src/protocol/text/nearest.ts";
import { GUARDS } from "../../../guards/guards.ts";

/** One rule of a built-in guard; `name`: `git/discard-changes`. */
export interface GuardRule {
  readonly name: string;
  readonly guard: GuardName;
  readonly rule: string;
}

/** The rules of all guards, by the names with which `off` and `on` take them. */
export const ALL_RULES: readonly GuardRule[] = GUARD_NAMES.flatMap((guard) =>
  Object.keys(GUARDS[guard].rules).map((rule) => ({ name: `${guard}/${rule}`, guard, rule })),
);

/** The rule of this name; null if the name is not that of a guard's rule. A hook of a pack may have a slash in its name, too. */
export function ruleNamed(name: string, hookNames: readonly string[]): GuardRule | null {
  const found = ALL_RULES.find((rule) => rule.name === name);
  const [guard] = name.split("/");
  if (found !== undefined || hookNames.includes(name) || !name.includes("/")) return found ?? null;
  const known = ALL_RULES.filter((rule) => rule.guard === guard).map((rule) => rule.name);
  const near = nearest(name, known.length > 0 ? known : ALL_RULES.map((rule) => rule.name));
  if (known.length === 0 && near === null) return null;
  const list = `hookctl guards ${(near ?? name).split("/")[0]}`;
  throw new ProblemError({ code: "USAGE_UNKNOWN_RULE", name, nearest: near, list });
}
