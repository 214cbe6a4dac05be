import type { EffectiveGuard, GuardName } from "../../../src/protocol/guard-settings.ts";
import { type JsonValue, printableJson } from "../../../src/protocol/json/write.ts";
import { pluralize } from "../../../src/protocol/text/count.ts";
import { truncateEscaped } from "../../../src/protocol/text/text.ts";
import { displayPath, type PathContext } from "../../../src/report/display-path.ts";
import { column, type Style } from "../../../src/report/text-style.ts";
import type { Examples } from "../../guards/examples.ts";
import { examplesJson, guardExamplesText } from "./guard-examples-text.ts";
import { guardRulesText, type RuleState, ruleJson, rulesLeftOffText } from "./guard-rules-text.ts";

/** A built-in guard. `on` has its settings, and is null if the guard is off. */
export interface GuardState {
  readonly name: GuardName;
  readonly about: string;
  readonly rules: readonly RuleState[];
  /** Null if they are not shown. */
  readonly examples: Examples | null;
  readonly on: EffectiveGuard | null;
  /** Why it is paused although the settings turn it on; null if it is not. */
  readonly paused: string | null;
}

const NAME_WIDTH = 17;
const ABOUT_START = 9;

interface GuardsView {
  readonly paths: PathContext;
  readonly hasRules: boolean;
  /** With the commands of the rules, and all examples. */
  readonly isFull: boolean;
  readonly cage: string | null;
}

/** `hookctl guards`: each guard with its state and settings, below it what it does, and its rules if they are asked for. */
export function guardsText(
  states: readonly GuardState[],
  { paths, hasRules, isFull, cage }: GuardsView,
  style: Style,
): string {
  const lines = states.map((state) => {
    const first = `${stateText(state, style)}  ${column(state.name, NAME_WIDTH)} ${style.faint(detailsOf(state, paths))}`;
    const rules = hasRules ? guardRulesText(state.rules, isFull, style) : "";
    return `${first.trimEnd()}\n${" ".repeat(ABOUT_START)}${state.about}\n${rules}`;
  });
  const examples = states.map((state) => guardExamplesText(state.name, state.examples, isFull, style)).join("");
  if (hasRules) return `${lines.join("")}Switch a rule off: hookctl off ${exampleRule(states)}\n${examples}`;
  const off = states.find(({ on }) => on === null);
  const hint = off === undefined ? "" : `Turn one on: hookctl on ${off.name}\n`;
  const held = cage === null ? "The cage is off: hookctl on cage\n" : `The cage is on (${cage}): hookctl cage show\n`;
  return `${lines.join("")}${hint}${held}Try one: hookctl explain 'git reset --hard'\n`;
}

const exampleRule = ([state]: readonly GuardState[]): string => `${state?.name}/${state?.rules[0]?.name}`;

function stateText({ on, paused }: GuardState, style: Style): string {
  if (on === null) return style.faint("off    ");
  if (paused !== null) return style.warn("paused ");
  return on.observe ? style.warn("observe") : style.good("on     ");
}

function detailsOf({ on, paused }: GuardState, context: PathContext): string {
  if (on === null) return "";
  const { name, file, allow, paths, decision, unknown } = on;
  const parts = [
    ...(paused === null ? [] : [paused]),
    ...(name === "protected-paths" && paths.length === 0 ? ["protects nothing: it has no `paths`"] : []),
    ...(decision === null ? [] : [`always ${decision}`]),
    ...(unknown === "ask" ? [] : [`unknown: ${unknown}`]),
    ...(allow.length === 0 ? [] : [pluralize(allow.length, "allow rule")]),
    ...(paths.length === 0 ? [] : [pluralize(paths.length, "path")]),
    displayPath(file, context),
  ];
  return parts.join(", ");
}

export const guardsJson = (states: readonly GuardState[]): string =>
  printableJson({
    schema: "hookctl.guards/1",
    guards: states.map(({ name, about, rules, examples, on, paused }) => ({
      name,
      about,
      enabled: on !== null && paused === null,
      disabled_reason: paused ?? undefined,
      rules: rules.map(ruleJson),
      examples: examples === null ? undefined : examplesJson(examples),
      settings: on === null ? null : settingsJson(on),
    })),
  });

function settingsJson({ file, decision, unknown, observe, allow, paths }: EffectiveGuard): JsonValue {
  const rules = allow.map(({ text, folder }) => ({ text, folder }));
  return { file, decision, unknown, observe, paths, allow: rules };
}

/** A guard or hook that stays on or off, because other settings decide. */
export interface Unaffected {
  readonly name: string;
  readonly reason: string;
}

export const unaffectedText = (hooks: readonly Unaffected[]): string =>
  hooks.map(({ name, reason }) => `✖ ${truncateEscaped(name, 80)} ${reason}\n`).join("");

/** Absent if there are none. */
export const unaffectedJson = (hooks: readonly Unaffected[]) =>
  hooks.length === 0 ? undefined : hooks.map(({ name, reason }) => ({ name, reason }));

export interface SwitchesChanged {
  readonly file: string;
  readonly guards: readonly string[];
  readonly hooks: readonly string[];
  readonly isOn: boolean;
  readonly isChanged: boolean;
  readonly isProject: boolean;
  /** Only for this project, in the user's settings. */
  readonly isHere: boolean;
  /** Nothing was written. */
  readonly isDry: boolean;
  /** True if `protected-paths` is on and guards nothing yet. */
  readonly needsPaths: boolean;
  readonly unaffected: readonly Unaffected[];
  /** Rules of these guards that stay off. */
  readonly rulesOff: readonly string[];
}

/** The changes of `on` and `off --for good`, and the next command. */
export function switchesChangedText(change: SwitchesChanged, paths: PathContext): string {
  const { file, guards, hooks, isOn, isChanged, isProject, isHere, isDry, needsPaths, unaffected, rulesOff } = change;
  const changed = [...guards, ...hooks].filter((name) => !unaffected.some((one) => one.name === name));
  const list = changed.map((name) => truncateEscaped(name, 80)).join(", ");
  const state = isOn ? "on" : "off";
  const missing = needsPaths
    ? 'protected-paths protects nothing yet. Name its files in the settings: "protected-paths": { "paths": ["infra/**"] }\n'
    : "";
  const path = `${displayPath(file, paths)}${isHere ? ", for this project" : ""}`;
  if (isDry && isChanged) return `• ${list}: would be ${state} (${path})\nNothing was written.\n`;
  const written = isProject ? `• ${list}: will be ${state} (${path})\n` : `✔ ${list}: ${state} (${path})\n`;
  const words = isChanged ? written : `${list}: already ${state}\n`;
  const done = changed.length === 0 ? "" : words;
  const head = `${done}${unaffectedText(unaffected)}${missing}${rulesLeftOffText(rulesOff)}`;
  if (isProject && isChanged && changed.length > 0)
    return `${head}The change has no effect until you approve it: hookctl trust\n`;
  return `${head}${guards.length > 0 ? "All guards: hookctl guards" : "All hooks: hookctl list"}\n`;
}

export const switchesChangedJson = ({
  file,
  guards,
  hooks,
  isOn,
  isChanged,
  isDry,
  unaffected,
}: SwitchesChanged): string =>
  printableJson({
    schema: "hookctl.guards-changed/1",
    file,
    guards,
    hooks: hooks.length === 0 ? undefined : hooks,
    enabled: isOn,
    changed: isChanged,
    dry_run: isDry || undefined,
    unaffected: unaffectedJson(unaffected),
  });
