import { type CommandResult, print } from "../../../../src/cli/command-result.ts";
import type { CommandLine, OptionsOf } from "../../../../src/cli/command-table.ts";
import { requirePerson } from "../../../../src/cli/prompt/require-person.ts";
import { ruleFaults } from "../../../../src/config/schema/check-rules.ts";
import { createRunContext } from "../../../../src/engine/create-run-context.ts";
import type { Host } from "../../../../src/engine/host.ts";
import type { RunContext } from "../../../../src/engine/run-context.ts";
import { absoluteFolder } from "../../../../src/engine/user-paths.ts";
import { EXIT } from "../../../../src/protocol/exit-code.ts";
import { jsonText } from "../../../../src/protocol/json/write.ts";
import { ok, ProblemError, unwrap } from "../../../../src/protocol/result.ts";
import type { PersonRule } from "../../../../src/protocol/rule-settings.ts";
import { shellQuote } from "../../../../src/protocol/text/shell-quote.ts";
import { loadShellParser } from "../../../../src/shell/load-parser.ts";
import { connectedAgents } from "../../doctor/agent-checks.ts";
import { type AddedRule, addedRuleJson, addedRuleText } from "../../report/rules-text.ts";
import { editSettings, type SettingsEdit, writeSettings } from "../guards/switches-file.ts";
import { fixedGuard, listedRules } from "./listed-rules.ts";
import { coveredExamples, type WrittenRule } from "./rule-coverage.ts";
import { addEdits, type RuleScope, ruleValue, scopePath } from "./rule-places.ts";
import { readRuleText } from "./rule-text.ts";

type RuleCommand = "block" | "ask" | "allow";
type RuleOptions = OptionsOf<RuleCommand>;

/** `hookctl block`, `ask` and `allow RULE`: writes a rule of the person into settings. `allow RUN` makes the rule from a recorded run. */
export async function addRule(line: CommandLine<RuleCommand>, host: Host): Promise<CommandResult> {
  const { args, command } = line;
  const options: RuleOptions = { ...line.options, config: null, only: null, skip: [] };
  const { context } = unwrap(await createRunContext(options, host, false));
  const [only = ""] = args;
  const isRule = options.isCommand || options.isFile || options.isHost;
  if (command === "allow" && args.length === 1 && !isRule && RUN.test(only)) {
    const { allowRun } = await import("./allow-run.ts");
    return allowRun(only === "last" ? only : only.toUpperCase(), options, { context, host });
  }
  const text = args.length === 1 ? only : args.map((word) => (/[*?]/.test(word) ? word : shellQuote(word))).join(" ");
  const rule = unwrap(readRuleText(text, options, { command, cwd: host.cwd }));
  const scope = scopeOf(command, options);
  const whole: WrittenRule = { ...rule, list: command, ...limitsOf(command, options, host) };
  await loadShellParser();
  refuseFaults(whole, command);
  const fixed = await fixedGuard(whole, context);
  if (fixed !== null) throw new ProblemError({ code: "USAGE_MACHINE_HOOK", name: fixed.name, path: fixed.file });
  await requirePerson(host);
  const edited = await writeRule(whole, scope, { context, host });
  return printAdded(await describeAdded(whole, scope, edited, { options, host }), options, host);
}

/** `last`, or what is meant as the id of a run, or its beginning or end: no program has such a name, and a mistyped id is no command. */
const RUN = /^(?:last|0[\da-zA-Z]{1,25}|[\dA-Z]{6,26})$/;

/** A rule that stops is the person's everywhere; one that allows only in this project, unless an option says otherwise. */
export function scopeOf(command: RuleCommand, options: RuleOptions): RuleScope {
  const chosen = [
    ...(options.isGlobal ? (["global"] as const) : []),
    ...(options.isHere ? (["here"] as const) : []),
    ...(options.isProject ? (["project"] as const) : []),
  ];
  const [scope, ...others] = chosen;
  if (others.length > 0)
    throw new ProblemError({
      code: "USAGE_WRONG_WORDS",
      detail: "A rule goes into one settings file: --here, --global or --project.",
      tryThis: `hookctl ${command} --here 'npm publish *'`,
    });
  return scope ?? (command === "allow" ? "here" : "global");
}

/** What limits a rule: its reason, exceptions and end. */
export function limitsOf(command: RuleCommand, options: RuleOptions, host: Host): Omit<PersonRule, "match"> {
  const { forMs, until, isOnce, unless, reason } = options;
  const nowMs = host.nowMs();
  if (isOnce && command !== "allow") throw badValue("--once", command, "only `allow` takes --once");
  if (forMs !== null && until !== null) throw badValue("--for", String(forMs), "it cannot be combined with --until");
  const endMs = forMs === null ? (until?.(nowMs).endMs ?? null) : nowMs + forMs;
  if (endMs !== null && endMs <= nowMs) throw badValue("--until", new Date(endMs).toISOString(), "it is in the past");
  return {
    ...(reason !== null && { reason }),
    ...(unless.length > 0 && { unless }),
    ...(endMs !== null && { until: new Date(endMs).toISOString() }),
    ...(isOnce && { once: `${new Date(nowMs).toISOString()}-${Math.floor(host.random() * 1e6)}` }),
  };
}

const badValue = (flag: string, value: string, detail: string): ProblemError =>
  new ProblemError({ code: "USAGE_BAD_VALUE", flag, value, detail });

function refuseFaults({ subject, list, ...rule }: WrittenRule, command: string): void {
  const [fault] = ruleFaults({ [subject]: { [list]: [rule] } }, "");
  if (fault?.code !== "CONFIG_BAD_VALUE") return;
  throw new ProblemError({
    code: "USAGE_WRONG_WORDS",
    detail: `This is not a rule: ${fault.detail}.`,
    tryThis: `hookctl ${command} 'npm publish *'`,
  });
}

interface Caller {
  readonly context: RunContext;
  readonly host: Host;
}

/** Writes a rule into the settings of its scope, unless they have it. */
export async function writeRule(rule: WrittenRule, scope: RuleScope, caller: Caller): Promise<SettingsEdit> {
  const { subject, list } = rule;
  const place = { scope: scopePath(scope, caller.context), subject, list };
  const outer = [...place.scope, subject];
  const opened = outer.map((key) => `${key}: { `).join("");
  const yaml = `add to it: ${opened}${list}: [ ${jsonText(ruleValue(rule))} ]${" }".repeat(outer.length)}`;
  const editsFor = (root: unknown) => addEdits(root, place, rule);
  const edited = unwrap(editSettings({ isProject: scope === "project", yaml }, editsFor, caller));
  const problem = edited.isChanged ? await writeSettings(edited) : null;
  if (problem !== null) throw new ProblemError(problem);
  return edited;
}

/** The rule with what it covers, and with its effect as the next call will see it. */
async function describeAdded(
  rule: WrittenRule,
  scope: RuleScope,
  { file, isChanged }: SettingsEdit,
  { options, host }: { readonly options: RuleOptions; readonly host: Host },
): Promise<AddedRule> {
  const again = unwrap(
    await createRunContext({ ...options, trust: options.trust || scope === "project" }, host, false),
  );
  const all = await listedRules(again.context);
  const written = all.find((one) => one.scope === scope && one.list === rule.list && one.match === rule.match);
  const examples = await coveredExamples(rule, again.context);
  return {
    ...rule,
    ...{ scope, file, isChanged, examples },
    isConnected: connectedAgents(options, host).length > 0,
    project: scope === "global" ? null : again.context.scopes.rootDir,
    ineffective: written?.ineffective ?? null,
  };
}

function printAdded(added: AddedRule, { json }: RuleOptions, host: Host): CommandResult {
  const paths = { cwd: host.cwd, homeDir: absoluteFolder(host.env, "HOME") };
  const printed = print(json ? `${addedRuleJson(added)}\n` : addedRuleText(added, paths), host);
  return printed.ok && added.ineffective !== null ? ok(EXIT.checkFailed) : printed;
}
