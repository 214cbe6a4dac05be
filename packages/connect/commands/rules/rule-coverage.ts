import type { RunContext } from "../../../../src/engine/run-context.ts";
import type { EffectiveGuard } from "../../../../src/protocol/guard-settings.ts";
import type { PersonRule, RuleList, RuleSubject, ScopedRule } from "../../../../src/protocol/rule-settings.ts";
import { examineCall } from "../../../guard-hooks/examine-call.ts";
import { guardPlace } from "../../../guard-hooks/guard-place.ts";
import { withParser } from "../../../guards/examine.ts";
import { GUARDS } from "../../../guards/guards.ts";
import { judge } from "../../../guards/judge.ts";
import type { ToolCall } from "../../../guards/tool-call.ts";
import { respell } from "../../../testing/mutate/respell.ts";

export interface WrittenRule extends PersonRule {
  readonly subject: RuleSubject;
  readonly list: RuleList;
}

export const shellCall = (command: string): ToolCall => ({ commands: [command], folder: null, files: [] });

/** Everything of a subject; what is not covered by an `allow` is stopped by it. */
const EVERYTHING: Readonly<Record<RuleSubject, string>> = { commands: "*", files: "**", hosts: "*" };

/** The guard `rules` with this rule alone. */
function guardWith({ subject, list, ...rule }: WrittenRule): EffectiveGuard {
  const scoped = (one: PersonRule, as: RuleList, level: number): ScopedRule => ({
    ...one,
    subject,
    list: as,
    file: "",
    source: "config",
    level,
    folder: null,
  });
  const { until, once, ...lasting } = rule;
  const stops = list === "allow" ? scoped({ match: EVERYTHING[subject] }, "block", 2) : scoped(lasting, list, 2);
  const allowed = list === "allow" ? [{ text: rule.match, folder: null, rule: scoped(lasting, list, 1) }] : [];
  return {
    ...{ name: "rules", file: "", source: "config", decision: null, unknown: "ask", observe: false, paths: [] },
    allow: allowed,
    ruleSettings: {},
    rules: [stops],
  };
}

/** Says of a call whether a rule alone covers it: stops it, or lets it pass. */
async function coverageOf(rule: WrittenRule, context: RunContext): Promise<(call: ToolCall) => Promise<boolean>> {
  const { ownFiles } = guardPlace(context);
  const settings = guardWith(rule);
  return async (call) => {
    const examined = await examineCall(call, context, context.cwd);
    const { decision } = await withParser(() => judge(examined, { rules: GUARDS.rules, settings }, ownFiles));
    return (decision === "allow") === (rule.list === "allow");
  };
}

const MOST_EXAMPLES = 3;

/** Other calls that a rule covers: what is often typed, then one of each kind of respelling. */
export async function coveredExamples(rule: WrittenRule, context: RunContext): Promise<readonly string[]> {
  const isCovered = await coverageOf(rule, context);
  const found: string[] = [];
  const shown = new Set<string>();
  for (const { command, kind } of candidateCommands(rule)) {
    if (found.length === MOST_EXAMPLES) break;
    if (
      shown.has(kind) ||
      command.length > LONGEST_EXAMPLE ||
      command.includes("\n") ||
      !(await isCovered(shellCall(command)))
    )
      continue;
    shown.add(kind);
    found.push(command);
  }
  return found;
}

const LONGEST_EXAMPLE = 100;
const MOST_RESPELLINGS = 60;

interface Candidate {
  readonly command: string;
  readonly kind: string;
}

function candidateCommands({ subject, match, list }: WrittenRule): readonly Candidate[] {
  if (subject === "commands") {
    const plain = match.replace(/(?: \*)+$/, "");
    // What people and agents really type says more than what only the parser sees through.
    const everyday = [`sudo ${plain}`, `cd app && ${plain}`, `${plain} more`];
    // Kinds for the whole command, which come last, say more to a person than quotes do.
    const respelled = respell(plain, { most: MOST_RESPELLINGS, isHarmless: list === "allow" }).toReversed();
    return [
      ...everyday.map((command) => ({ command, kind: command })),
      ...respelled.flatMap(({ command, kinds: [kind = "", ...others] }) =>
        others.length > 0 ? [] : [{ command, kind }],
      ),
    ];
  }
  const plain = match.replaceAll("**", "x").replaceAll("*", "x");
  const commands =
    subject === "files"
      ? [`echo x > ${plain}`, `rm -f ${plain}`, `sed -i s/a/b/ ${plain}`, `cp other ${plain}`]
      : [`curl https://${plain}/`, `git push https://${plain}/x.git`, `ssh ${plain}`, `wget -q ${plain}`];
  return commands.map((command) => ({ command, kind: command }));
}
