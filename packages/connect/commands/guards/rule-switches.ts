import { type CommandResult, print } from "../../../../src/cli/command-result.ts";
import { requirePersonWithoutAgent } from "../../../../src/cli/prompt/require-person.ts";
import { userFileIn } from "../../../../src/config/load-settings.ts";
import { createRunContext } from "../../../../src/engine/create-run-context.ts";
import type { Host } from "../../../../src/engine/host.ts";
import type { RunContext } from "../../../../src/engine/run-context.ts";
import { isMachine } from "../../../../src/protocol/hook.ts";
import { isObject, objectOr } from "../../../../src/protocol/json/read.ts";
import { fail, ProblemError, unwrap } from "../../../../src/protocol/result.ts";
import type { RuleChoice } from "../../../../src/protocol/setting-rows.ts";
import { examineCall } from "../../../guard-hooks/examine-call.ts";
import { guardPlace } from "../../../guard-hooks/guard-place.ts";
import { withParser } from "../../../guards/examine.ts";
import { EXAMPLES } from "../../../guards/examples.ts";
import { GUARDS } from "../../../guards/guards.ts";
import { judge } from "../../../guards/judge.ts";
import { withAddedRules } from "../../../guards/rules/added-rules.ts";
import type { MemberEdit } from "../../install/settings-file/edit-switches.ts";
import { ruleStates, rulesChangedJson, rulesChangedText } from "../../report/guard-rules-text.ts";
import type { Unaffected } from "../../report/guards-text.ts";
import { userPaths } from "../../report/user-paths.ts";
import { shellCall } from "../rules/rule-coverage.ts";
import { allRules, type GuardRule } from "./rules-named.ts";
import { editSettings, writeSettings } from "./switches-file.ts";

interface RuleChange {
  readonly rules: readonly GuardRule[];
  readonly choice: RuleChoice;
  /** Only in this project: in the user's settings below `projects`. */
  readonly isHere: boolean;
  readonly isDry?: boolean;
}

interface Caller {
  readonly context: RunContext;
  readonly host: Host;
}

/** Throws unless the guard of the rule is on by settings that the user may loosen. */
export function requireOwnGuard({ guard, name }: GuardRule, { settings }: RunContext): void {
  const on = settings.guards.find((one) => one.name === guard);
  if (on === undefined) {
    const detail = `${guard} is off, so its rules are off, too.`;
    throw new ProblemError({ code: "USAGE_WRONG_WORDS", detail, tryThis: `hookctl on ${guard}` });
  }
  if (isMachine(on)) throw new ProblemError({ code: "USAGE_MACHINE_HOOK", name, path: on.file });
}

/** Sets rules of guards in the user's settings. */
export async function setRules(
  { rules, choice, isHere, isDry = false }: RuleChange,
  { json }: { readonly json: boolean },
  { context, host }: Caller,
): Promise<CommandResult> {
  for (const rule of rules) requireOwnGuard(rule, context);
  if (!isDry) await requirePersonWithoutAgent(host);
  const project = isHere ? context.scopes.rootDir : null;
  for (const { guard } of rules) requireUsersGuard(guard, project, context);
  const yaml = `guards: { ${rules.map(({ guard, rule }) => `${guard}: { rules: { ${rule}: ${choice} } }`).join(", ")} }`;
  const tryThis = `add to it: ${project === null ? yaml : `projects: { ${project}: { ${yaml} } }`}`;
  const editsFor = (root: unknown) => rules.map((one) => ruleEdit(root, one, { choice, project }));
  const edited = unwrap(editSettings({ isProject: false, yaml: tryThis }, editsFor, { context, host }));
  const problem = edited.isChanged && !isDry ? await writeSettings(edited) : null;
  if (problem !== null) return fail(problem);
  const names = rules.map(({ name }) => name);
  const released = choice === "off" ? await releasedCommands(rules, context) : [];
  const change = { file: edited.file, names, choice, project, isChanged: edited.isChanged, isDry, released };
  return print(json ? `${rulesChangedJson(change)}\n` : rulesChangedText(change, userPaths(context)), host);
}

const MOST_RELEASED = 3;
const LONGEST_RELEASED = 60;

/** Commands of the guards' examples that pass without these rules. */
export async function releasedCommands(rules: readonly GuardRule[], context: RunContext): Promise<readonly string[]> {
  const { guards, ownFiles } = guardPlace(context);
  const found: string[] = [];
  for (const { guard, rule } of rules) {
    const settings = guards.find(({ name }) => name === guard);
    // An example that needs a reason says less to a person.
    const all = [...EXAMPLES[guard].blocked, ...EXAMPLES[guard].asked];
    for (const { command } of all.toSorted((a, b) => Number("why" in a) - Number("why" in b))) {
      if (found.length === MOST_RELEASED || settings === undefined) break;
      if (command.length > LONGEST_RELEASED || command.includes("\n")) continue;
      const examined = await examineCall(shellCall(command), context, context.cwd);
      const judged = await withParser(() => judge(examined, { rules: GUARDS[guard], settings }, ownFiles).judged);
      const stops = judged.filter(({ decision }) => decision !== "allow");
      if (stops.length > 0 && stops.every(({ finding }) => finding.rule === rule)) found.push(command);
    }
  }
  return found;
}

/** Settings of a guard turn it on, so the user's own settings say nothing about a guard that only a project turns on. */
function requireUsersGuard(guard: string, project: string | null, { settings, plan }: RunContext): void {
  const on = settings.guards.find(({ name }) => name === guard);
  if (project !== null || on?.file === userFileIn(plan)?.file) return;
  const detail = `${guard} is turned on by ${on?.file}, not by your settings.`;
  throw new ProblemError({ code: "USAGE_WRONG_WORDS", detail, tryThis: `hookctl on ${guard}` });
}

/** The members of a settings file around the guards of the user, or of the user in one project. */
const guardsPath = (project: string | null) => (project === null ? ["guards"] : ["projects", project, "guards"]);

const memberAt = (root: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>((value, key) => objectOr(value)[key], root);

function ruleEdit(
  root: unknown,
  { guard, rule }: GuardRule,
  { choice, project }: { readonly choice: RuleChoice; readonly project: string | null },
): MemberEdit {
  const path = [...guardsPath(project), guard];
  const present = memberAt(root, path);
  if (isObject(present)) return { path: [...path, "rules", rule], value: choice };
  const rules = { rules: { [rule]: choice } };
  return { path, value: present === false ? { enabled: false, ...rules } : rules };
}

/** Removes `off` of these rules from the user's settings, here and, unless `isHere`, everywhere. Returns the names of the rules that were off. */
export async function turnRulesOn(
  rules: readonly GuardRule[],
  { isHere, isDry }: { readonly isHere: boolean; readonly isDry: boolean },
  { context, host }: Caller,
): Promise<readonly string[]> {
  if (rules.length === 0) return [];
  const scopes = isHere ? [context.scopes.rootDir] : [null, context.scopes.rootDir];
  const removed = new Set<string>();
  const editsFor = (root: unknown): readonly MemberEdit[] =>
    rules.flatMap(({ name, guard, rule }) =>
      scopes.flatMap((project) => {
        const path = [...guardsPath(project), guard, "rules", rule];
        if (memberAt(root, path) !== "off") return [];
        removed.add(name);
        return [{ path, value: undefined }];
      }),
    );
  if (!rules.some((rule) => isSetOff(rule, [null, context.scopes.rootDir], context))) return [];
  const yaml = "remove the rule from it";
  const edited = unwrap(editSettings({ isProject: false, yaml }, editsFor, { context, host }));
  const elsewhere = rules.find((rule) => isHere && !removed.has(rule.name) && isSetOff(rule, [null], context));
  if (elsewhere !== undefined) {
    const detail = `${elsewhere.name} is off in every project, so --here does not turn it on.`;
    throw new ProblemError({ code: "USAGE_WRONG_WORDS", detail, tryThis: `hookctl on ${elsewhere.name}` });
  }
  const problem = edited.isChanged && !isDry ? await writeSettings(edited) : null;
  if (problem !== null) throw new ProblemError(problem);
  return [...removed];
}

/** True if the user's settings turn a rule off in one of these projects; null: everywhere. Those of a guard that is off count, too. */
function isSetOff({ guard, rule }: GuardRule, projects: readonly (string | null)[], { plan }: RunContext): boolean {
  const said = userFileIn(plan)?.data;
  return projects.some((project) => memberAt(said, [...guardsPath(project), guard, "rules", rule]) === "off");
}

interface RuleOff extends Unaffected {
  /** The rule itself is on. */
  readonly isGuardOff: boolean;
}

type ContextOptions = Parameters<typeof createRunContext>[0];

/** Those of these rules that stop nothing in the next call, each with why. */
export const rulesOff = async (rules: readonly GuardRule[], options: ContextOptions, host: Host) =>
  rules.length === 0 ? [] : offIn(await nextContext(options, host), rules);

/** The rules of guards that are on which stay off themselves: `hookctl on` names them, and does not change them. */
export async function rulesLeftOff(
  guards: readonly string[],
  options: ContextOptions,
  host: Host,
): Promise<readonly string[]> {
  if (guards.length === 0) return [];
  const context = await nextContext(options, host);
  const on = guards.filter((guard) => context.settings.guards.some(({ name }) => name === guard));
  const rules = allRules(context.settings).filter(({ guard }) => on.includes(guard));
  return offIn(context, rules).map(({ name }) => name);
}

const nextContext = async (options: ContextOptions, host: Host): Promise<RunContext> =>
  unwrap(await createRunContext(options, host, false)).context;

function offIn(context: RunContext, rules: readonly GuardRule[]): readonly RuleOff[] {
  const { guards } = guardPlace(context);
  return rules.flatMap(({ name, guard, rule }): readonly RuleOff[] => {
    const on = guards.find((one) => one.name === guard);
    if (on === undefined)
      return [{ name, reason: `stops nothing while its guard is off: hookctl on ${guard}`, isGuardOff: true }];
    const states = ruleStates(withAddedRules(GUARDS[guard], on.added), on);
    const { decision, paused } = states.find((state) => state.name === rule) ?? { decision: null, paused: null };
    if (decision !== "off" && paused === null) return [];
    const why = paused ?? `${deciding(guard, rule, context)} turn it off`;
    return [{ name, reason: `stays off: ${why}`, isGuardOff: false }];
  });
}

/** The settings that turn a rule off. */
function deciding(guard: string, rule: string, { plan, machine }: RunContext): string {
  const all = [machine?.settingsFile, ...plan.files].flatMap((one) => one ?? []);
  const file = all.find(({ data }) =>
    [data, ...Object.values(data.projects ?? {})].some(
      (said) => memberAt(said, ["guards", guard, "rules", rule]) === "off",
    ),
  )?.file;
  return file == null ? "other settings" : `the settings in ${file}`;
}
