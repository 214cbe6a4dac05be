import { type CommandResult, print } from "../../../../src/cli/command-result.ts";
import type { CommandLine, OptionsOf } from "../../../../src/cli/command-table.ts";
import { requirePerson } from "../../../../src/cli/prompt/require-person.ts";
import { stdoutStyle } from "../../../../src/cli/stream-style.ts";
import { createCheckedContext, createRunContext } from "../../../../src/engine/create-run-context.ts";
import type { Host } from "../../../../src/engine/host.ts";
import { GUARD_NAMES } from "../../../../src/protocol/guard-settings.ts";
import { ProblemError, unwrap } from "../../../../src/protocol/result.ts";
import { RULE_LISTS, RULE_SUBJECTS } from "../../../../src/protocol/rule-settings.ts";
import { nearest } from "../../../../src/protocol/text/nearest.ts";
import { shellQuote } from "../../../../src/protocol/text/shell-quote.ts";
import {
  listRulesJson,
  listRulesText,
  type RemovedRule,
  removedRulesJson,
  removedRulesText,
} from "../../report/rules-text.ts";
import { editSettings, writeSettings } from "../guards/switches-file.ts";
import { type ListedRule, listedRules } from "./listed-rules.ts";
import { itemsAt, matchOf, type RuleScope, removeEdits, scopePath } from "./rule-places.ts";

/** `hookctl rules`: the rules of all scopes. `hookctl rules remove RULE`: removes one of the person's or the project's. */
export async function rules({ args, options }: CommandLine<"rules">, host: Host): Promise<CommandResult> {
  const [action, text, ...more] = args;
  if (action === undefined) return listRules(options, host);
  if (action === "remove" && text !== undefined && more.length === 0) return removeRule(text, options, host);
  const detail =
    action === "remove" ? "rules remove: name one rule." : `rules takes nothing or \`remove RULE\`, not ${action}.`;
  throw new ProblemError({ code: "USAGE_WRONG_WORDS", detail, tryThis: "hookctl rules remove 'npm publish *'" });
}

/** The lists of rules in the settings of a scope: those of a person, and the lists `allow` of single guards. */
const LISTS = [
  ...RULE_SUBJECTS.flatMap((subject) => RULE_LISTS.map((list) => ({ subject, list, path: [subject, list] }))),
  ...GUARD_NAMES.map((guard) => ({ guard, list: "allow" as const, path: ["guards", guard, "allow"] })),
];

async function listRules(options: OptionsOf<"rules">, host: Host): Promise<CommandResult> {
  const { context } = unwrap(await createCheckedContext(options, host, false));
  const all = await listedRules(context);
  if (options.json) return print(`${listRulesJson(all)}\n`, host);
  const paths = { cwd: host.cwd, homeDir: context.scopes.homeDir };
  return print(listRulesText(all, paths, await stdoutStyle(options, host)), host);
}

async function removeRule(match: string, given: OptionsOf<"rules">, host: Host): Promise<CommandResult> {
  const options = { ...given, config: null, only: null, skip: [] };
  const { context } = unwrap(await createRunContext(options, host, false));
  const scopes: readonly RuleScope[] = options.isProject
    ? ["project"]
    : [...(options.isGlobal ? [] : (["here"] as const)), ...(options.isHere ? [] : (["global"] as const))];
  await requirePerson(host);
  // The edit is repeated on the text that the file has when it is written.
  const found = new Map<string, RemovedRule>();
  const editsFor = (root: unknown) =>
    scopes.flatMap((scope) =>
      LISTS.flatMap(({ path, ...kind }) => {
        const whole = [...scopePath(scope, context), ...path];
        if (itemsAt(root, whole).some((item) => matchOf(item) === match))
          found.set(whole.join("\0"), { match, ...kind, scope });
        return removeEdits(root, whole, match);
      }),
    );
  const yaml = `remove the rule ${match} from it`;
  const edited = unwrap(editSettings({ isProject: options.isProject, yaml }, editsFor, { context, host }));
  const removed = [...found.values()];
  if (removed.length === 0) throw notRemoved(match, await listedRules(context));
  const problem = await writeSettings(edited);
  if (problem !== null) throw new ProblemError(problem);
  const { file } = edited;
  const paths = { cwd: host.cwd, homeDir: context.scopes.homeDir };
  return print(options.json ? `${removedRulesJson(file, removed)}\n` : removedRulesText(file, removed, paths), host);
}

function notRemoved(match: string, all: readonly ListedRule[]): ProblemError {
  const other = all.find((rule) => rule.match === match);
  if (other?.scope === "machine")
    return new ProblemError({ code: "USAGE_MACHINE_HOOK", name: match, path: other.file });
  const matches = all.map((rule) => rule.match);
  const name = { name: match, nearest: nearest(match, matches), list: "hookctl rules" };
  if (other === undefined) return new ProblemError({ code: "USAGE_UNKNOWN_RULE", ...name });
  const tryThis = `hookctl rules remove --${other.scope} ${shellQuote(match)}`;
  return new ProblemError({ code: "USAGE_WRONG_WORDS", detail: `This rule is in ${other.file}.`, tryThis });
}
