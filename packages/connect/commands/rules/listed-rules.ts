import type { CompiledFile } from "../../../../src/config/load-settings.ts";
import { projectFilesIn, userFileIn } from "../../../../src/config/load-settings.ts";
import { offReason } from "../../../../src/engine/hooks/select-hooks.ts";
import type { RunContext } from "../../../../src/engine/run-context.ts";
import { realPathOrSame } from "../../../../src/fs/paths.ts";
import type { EffectiveGuard } from "../../../../src/protocol/guard-settings.ts";
import { isExpired, type RulesSettings, rulesIn } from "../../../../src/protocol/rule-settings.ts";
import { guardPlace } from "../../../guard-hooks/guard-place.ts";
import { examine, loadParserFor, withParser } from "../../../guards/examine.ts";
import { GUARDS } from "../../../guards/guards.ts";
import { judge } from "../../../guards/judge.ts";
import { shellCall, type WrittenRule } from "./rule-coverage.ts";
import type { RuleScope } from "./rule-places.ts";

/** A rule of a settings file, and whether it has an effect in this project. */
export interface ListedRule extends WrittenRule {
  readonly scope: RuleScope | "machine";
  readonly file: string;
  /** Why it has no effect; null if it has. */
  readonly ineffective: string | null;
}

interface FoundRules extends Pick<ListedRule, "scope" | "file"> {
  readonly rules: RulesSettings;
}

/** The rules of all settings files of a call, the strongest scope first. */
export async function listedRules(context: RunContext): Promise<readonly ListedRule[]> {
  const found = ruleFiles(context).flatMap(({ rules, ...origin }) =>
    rulesIn(rules).map((rule) => ({ ...rule, ...origin })),
  );
  return Promise.all(found.map(async (rule) => ({ ...rule, ineffective: await whyIneffective(rule, context) })));
}

function ruleFiles({ plan, machine, scopes }: RunContext): readonly FoundRules[] {
  const user = userFileIn(plan);
  const here = new Set([scopes.rootDir, ...scopes.projectDirs].map(realPathOrSame));
  const said = Object.entries(user?.data.projects ?? {}).filter(([folder]) => here.has(realPathOrSame(folder)));
  const from = (file: CompiledFile | null, scope: FoundRules["scope"]): readonly FoundRules[] =>
    file === null ? [] : [{ scope, file: file.file ?? "", rules: file.data.rules ?? {} }];
  return [
    ...from(machine?.settingsFile ?? null, "machine"),
    ...said.map(([, rules]): FoundRules => ({ scope: "here", file: user?.file ?? "", rules })),
    ...from(user, "global"),
    ...projectFilesIn(plan).flatMap((file) => from(file, "project")),
  ];
}

async function whyIneffective(rule: Omit<ListedRule, "ineffective">, context: RunContext): Promise<string | null> {
  if (isExpired(rule, context.nowMs)) return `ended ${rule.until}`;
  const { guards, ownFiles, ...place } = guardPlace(context);
  const guard = guards.find(({ name }) => name === "rules");
  // Where nothing is stopped, nothing has to be allowed.
  if (guards.length === 0 && rule.list === "allow" && rule.scope !== "project") return null;
  if (!isLoaded(rule, guards)) return rule.scope === "project" ? "not approved: hookctl trust" : notOn(guard);
  const paused = guard === undefined || rule.list === "allow" ? null : offReason(guard, context);
  if (paused !== null) return paused.reason;
  if (guard === undefined || rule.subject !== "commands") return null;
  const call = shellCall(rule.match.replace(/(?: \*)+$/, ""));
  await loadParserFor(call);
  const examined = await withParser(() => examine(call, { ...place, folder: context.cwd }));
  const { decision, judged } = await withParser(() =>
    judge(examined, { rules: GUARDS.rules, settings: guard }, ownFiles),
  );
  if (decision === rule.list) return null;
  if (rule.list === "allow") return `overruled by a rule that says ${decision}`;
  const allowedBy = judged.find((one) => one.allowedBy !== null)?.allowedBy;
  if (decision === "allow" && allowedBy != null) return `overruled by: allow ${allowedBy.text}`;
  return decision === "block" ? "overruled by a rule that blocks" : null;
}

const notOn = (guard: EffectiveGuard | undefined): string =>
  guard === undefined ? "the guard `rules` is off: hookctl enable rules" : "other settings decide";

/** True if the rule is one of those that apply in this call. */
const isLoaded = (rule: Omit<ListedRule, "ineffective">, guards: readonly EffectiveGuard[]): boolean =>
  guards.some(({ allow, rules = [] }) =>
    [...rules, ...allow.flatMap((one) => one.rule ?? [])].some(
      (one) =>
        one.list === rule.list && one.subject === rule.subject && one.match === rule.match && one.file === rule.file,
    ),
  );
