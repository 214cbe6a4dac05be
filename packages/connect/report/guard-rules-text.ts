import type { EffectiveGuard, RuleSetting } from "../../../src/protocol/guard-settings.ts";
import { type JsonRecord, printableJson } from "../../../src/protocol/json/write.ts";
import { ownValue } from "../../../src/protocol/own-value.ts";
import type { RuleChoice } from "../../../src/protocol/setting-rows.ts";
import { truncateEscaped } from "../../../src/protocol/text/text.ts";
import { displayPath, type PathContext } from "../../../src/report/display-path.ts";
import { nameColumn, type Style } from "../../../src/report/text-style.ts";
import type { Guard } from "../../guards/guard.ts";

/** One rule of a guard: its decision, and its state in this project. */
export interface RuleState {
  readonly name: string;
  readonly about: string;
  /** The decision of the rule itself; null if it depends on the call. */
  readonly standard: "ask" | "block" | null;
  readonly decision: RuleChoice | null;
  /** Why it is off although the settings turn it on. */
  readonly paused: string | null;
  /** The file that adds it to the guard; null for hookctl's own. */
  readonly file: string | null;
}

const NOT_SET: RuleSetting = { own: null, atLeast: "off" };

/** The rules of a guard as the settings leave them; `on` is null for a guard that is off. */
export function ruleStates({ rules, decisions }: Guard, on: EffectiveGuard | null): readonly RuleState[] {
  return Object.entries(rules).map(([name, about]) => {
    const standard = ownValue(decisions, name) ?? null;
    const { own, atLeast, paused = null } = ownValue(on?.ruleSettings ?? {}, name) ?? NOT_SET;
    const chosen = own ?? on?.decision ?? standard;
    const isStricter = atLeast === "block" || (atLeast === "ask" && chosen === "off");
    const file = on?.added?.find((added) => Object.hasOwn(added.rules, name))?.file ?? null;
    return { name, about, standard, decision: isStricter ? atLeast : chosen, paused, file };
  });
}

/** The rules of one guard, one line each: what it does with a finding, its name and its subject, in full or without the commands. */
export function guardRulesText(states: readonly RuleState[], isFull: boolean, style: Style): string {
  const named = nameColumn(states.map(({ name }) => name));
  const lines = states.map(({ name, about, decision, paused, file }) => {
    const subject = isFull ? about : about.replace(/: .*/, "");
    const isOff = decision === "off" || paused !== null;
    const from = file === null ? "" : ` (${truncateEscaped(file, 200)})`;
    const word = (paused === null ? (decision ?? "depends") : "paused").padEnd(STATE_WIDTH);
    return `  ${isOff ? style.warn(word) : word} ${named(name)}  ${style.faint(`${paused ?? subject}${from}`)}\n`;
  });
  return lines.join("");
}

const STATE_WIDTH = 7;

export const ruleJson = ({ name, about, standard, decision, paused, file }: RuleState): JsonRecord => ({
  rule: name,
  about,
  default: standard,
  decision,
  disabled_reason: paused ?? undefined,
  file: file ?? undefined,
});

/** Rules of guards that were set in the user's settings. */
export interface RulesChanged {
  readonly file: string;
  readonly names: readonly string[];
  readonly choice: RuleChoice;
  /** The project in which the change applies; null: everywhere. */
  readonly project: string | null;
  readonly isChanged: boolean;
  readonly isDry: boolean;
  /** Commands that only these rules stop. */
  readonly released: readonly string[];
}

/** Rules that are off themselves while their guard is on. */
export const rulesLeftOffText = (names: readonly string[]): string => {
  const words = names.map((name) => truncateEscaped(name, 80)).join(" ");
  return names.length === 0 ? "" : `▲ Still off: ${words.replaceAll(" ", ", ")}\n  To switch on: hookctl on ${words}\n`;
};

/** What passes while rules are off; empty if no example is known. */
export const releasedText = (commands: readonly string[]): string =>
  commands.length === 0 ? "" : `Not stopped now, for example: ${commands.map((one) => `\`${one}\``).join(", ")}\n`;

export function rulesChangedText(change: RulesChanged, paths: PathContext): string {
  const { names, choice, project, isChanged, isDry, released } = change;
  const list = names.join(", ");
  const file = displayPath(change.file, paths);
  const where = project === null ? "everywhere" : `in ${displayPath(project, paths)}`;
  if (isDry && isChanged) return `• ${list}: would be ${choice} ${where} (${file})\nNothing was written.\n`;
  const done = isChanged ? `✔ ${list}: ${choice} ${where} (${file})` : `${list}: already ${choice}`;
  const words = names.join(" ");
  const wider = project === null || choice !== "off" ? "" : `In all projects: hookctl off ${words} --everywhere\n`;
  return `${done}\n${isChanged ? releasedText(released) : ""}${wider}On again${project === null ? "" : " here"}: hookctl on ${words}\n`;
}

export const rulesChangedJson = ({ file, names, choice, project, isChanged, isDry }: RulesChanged): string => {
  const change = { file, rules: names, choice, project, changed: isChanged, dry_run: isDry || undefined };
  return printableJson({ schema: "hookctl.guard-rules/1", ...change });
};
