import type { CompiledFile } from "../../../../src/config/load-settings.ts";
import { projectFilesIn, userFileIn } from "../../../../src/config/load-settings.ts";
import { offReason } from "../../../../src/engine/hooks/select-hooks.ts";
import type { RunContext } from "../../../../src/engine/run-context.ts";
import { realPathOrSame } from "../../../../src/fs/paths.ts";
import {
  type EffectiveGuard,
  GUARD_NAMES,
  type GuardName,
  type GuardsSettings,
} from "../../../../src/protocol/guard-settings.ts";
import {
  isExpired,
  type PersonRule,
  type RuleSubject,
  type RulesSettings,
  rulesIn,
  type ScopedRule,
} from "../../../../src/protocol/rule-settings.ts";
import { isUsedUp } from "../../../guard-hooks/current-rules.ts";
import { examineCall } from "../../../guard-hooks/examine-call.ts";
import { guardPlace } from "../../../guard-hooks/guard-place.ts";
import { withParser } from "../../../guards/examine.ts";
import { GUARDS } from "../../../guards/guards.ts";
import { judge } from "../../../guards/judge.ts";
import { shellCall } from "./rule-coverage.ts";
import type { RuleScope } from "./rule-places.ts";

/** A rule of a settings file, and whether it has an effect in this project. */
export interface ListedRule extends PersonRule, Pick<ScopedRule, "list"> {
  /** What it is about; absent for an entry of a guard's own list `allow`. */
  readonly subject?: RuleSubject;
  readonly guard?: GuardName;
  readonly scope: RuleScope | "machine";
  readonly file: string;
  /** Why it has no effect; null if it has. */
  readonly ineffective: string | null;
}

interface FoundRules extends Pick<ListedRule, "scope" | "file"> {
  readonly rules: RulesSettings;
  readonly guards: GuardsSettings;
}

/** The rules of all settings files of a call, the strongest scope first. */
export async function listedRules(context: RunContext): Promise<readonly ListedRule[]> {
  const found = ruleFiles(context).flatMap(({ rules, guards, ...origin }) => [
    ...rulesIn(rules).map((rule) => ({ ...rule, ...origin })),
    ...GUARD_NAMES.flatMap((guard) =>
      (guards[guard]?.allow ?? []).map((match) => ({ match, guard, list: "allow" as const, ...origin })),
    ),
  ]);
  return Promise.all(found.map(async (rule) => ({ ...rule, ineffective: await whyIneffective(rule, context) })));
}

function ruleFiles({ plan, machine, scopes }: RunContext): readonly FoundRules[] {
  const user = userFileIn(plan);
  const here = new Set([scopes.rootDir, ...scopes.projectDirs].map(realPathOrSame));
  const said = Object.entries(user?.data.projects ?? {}).filter(([folder]) => here.has(realPathOrSame(folder)));
  const from = (file: CompiledFile | null, scope: FoundRules["scope"]): readonly FoundRules[] =>
    file === null ? [] : [{ scope, file: file.file ?? "", rules: file.data.rules ?? {}, guards: file.data.guards }];
  return [
    ...from(machine?.settingsFile ?? null, "machine"),
    ...said.map(
      ([, { guards = {}, ...rules }]): FoundRules => ({ scope: "here", file: user?.file ?? "", rules, guards }),
    ),
    ...from(user, "global"),
    ...projectFilesIn(plan).flatMap((file) => from(file, "project")),
  ];
}

type RuleText = Pick<ListedRule, "subject" | "list" | "match">;

/** The guard of the machine that stops what this rule would allow; null if none does. */
export async function fixedGuard(rule: RuleText, context: RunContext): Promise<EffectiveGuard | null> {
  const judgeRule = rule.list === "allow" ? await judgeOf(rule, context) : null;
  if (judgeRule === null) return null;
  for (const guard of guardPlace(context).guards)
    if (guard.source === "machine" && (await judgeRule(guard)).decision !== "allow") return guard;
  return null;
}

/** Returns a function by which a guard judges the command of a rule; null for a rule about something else. */
async function judgeOf({ subject, match }: RuleText, context: RunContext) {
  if (subject !== "commands") return null;
  const examined = await examineCall(shellCall(match.replace(/(?: \*)+$/, "")), context, context.cwd);
  const { ownFiles } = guardPlace(context);
  return (guard: EffectiveGuard) =>
    withParser(() => judge(examined, { rules: GUARDS[guard.name], settings: guard }, ownFiles));
}

async function whyIneffective(rule: Omit<ListedRule, "ineffective">, context: RunContext): Promise<string | null> {
  if (isExpired(rule, context.nowMs)) return `ended ${rule.until}`;
  const { guards, usedRules } = guardPlace(context);
  if (isUsedUp(rule, usedRules)) return "used up";
  if (rule.guard !== undefined) return whyUnused(rule, guards);
  const guard = guards.find(({ name }) => name === "rules");
  // Where nothing is stopped, nothing has to be allowed.
  if (guards.length === 0 && rule.list === "allow" && rule.scope !== "project") return null;
  const fixed = await fixedGuard(rule, context);
  if (fixed !== null) return `${fixed.name} is set for everybody on this machine, and stops it (${fixed.file})`;
  if (!isLoaded(rule, guards)) return rule.scope === "project" ? "not approved: hookctl trust" : notOn(guard);
  const paused = guard === undefined || rule.list === "allow" ? null : offReason(guard, context);
  if (paused !== null) return paused.reason;
  const judgeRule = await judgeOf(rule, context);
  if (guard === undefined || judgeRule === null) return null;
  const { decision, judged } = await judgeRule(guard);
  if (decision === rule.list) return null;
  if (rule.list === "allow") return `overruled by a rule that says ${decision}`;
  const allowedBy = judged.find((one) => one.allowedBy !== null)?.allowedBy;
  if (decision === "allow" && allowedBy != null) return `overruled by: allow ${allowedBy.text}`;
  return decision === "block" ? "overruled by a rule that blocks" : null;
}

const notOn = (guard: EffectiveGuard | undefined): string =>
  guard === undefined ? "the guard `rules` is off: hookctl on rules" : "other settings decide";

/** Why an entry of a guard's own list has no effect; null if it has. */
function whyUnused({ guard, match, scope }: Omit<ListedRule, "ineffective">, guards: readonly EffectiveGuard[]) {
  const on = guards.find(({ name }) => name === guard);
  if (on?.allow.some(({ rule, text }) => rule === undefined && text === match) === true) return null;
  if (scope === "project") return "not approved: hookctl trust";
  return on === undefined ? `the guard ${guard} is off` : "other settings decide";
}

/** True if the rule is one of those that apply in this call. */
const isLoaded = (rule: Omit<ListedRule, "ineffective">, guards: readonly EffectiveGuard[]): boolean =>
  guards.some(({ allow, rules = [] }) =>
    [...rules, ...allow.flatMap((one) => one.rule ?? [])].some(
      (one) =>
        one.list === rule.list && one.subject === rule.subject && one.match === rule.match && one.file === rule.file,
    ),
  );
