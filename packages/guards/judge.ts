import type { AllowRule, EffectiveGuard } from "../../src/protocol/guard-settings.ts";
import { ownValue } from "../../src/protocol/own-value.ts";
import { allowedByRule } from "./allowed.ts";
import type { Call, CommandAnalysis } from "./command/call.ts";
import type { FileAccess } from "./command/files/file-access.ts";
import { targetsOf } from "./effects/intents.ts";
import type { Examined } from "./examine.ts";
import type { Finding, Found, Guard, GuardContext, OwnFile } from "./guard.ts";

/** A finding with the place where it was made, and what the settings make of it. */
export interface Judged extends Found {
  readonly decision: "allow" | "ask" | "block";
  /** The user's rule that allows it, or null. */
  readonly allowedBy: AllowRule | null;
  /** True if the settings turn the rule off. */
  readonly isRuleOff: boolean;
}

export interface GuardVerdict {
  readonly decision: "allow" | "ask" | "block";
  /** The strictest first. */
  readonly judged: readonly Judged[];
}

const STRICTNESS = ["allow", "ask", "block"] as const;

/** The settings of a guard that change its verdicts. */
export type JudgeSettings = Pick<EffectiveGuard, "decision" | "unknown" | "allow" | "paths" | "ruleSettings" | "rules">;

/** Each rule decides by itself, and nothing is allowed in addition. */
export const STANDARD_SETTINGS: JudgeSettings = {
  decision: null,
  unknown: "ask",
  allow: [],
  paths: [],
  ruleSettings: {},
};

/** Judges a tool call by the rules of one guard and its settings. */
export function judge(
  examined: Examined,
  { rules, settings }: { readonly rules: Guard; readonly settings: JudgeSettings },
  ownFiles: readonly OwnFile[] = [],
): GuardVerdict {
  const commands = examined.commands.map(({ text }) => text);
  const { paths, rules: personRules = [] } = settings;
  const { place, missing } = examined;
  const known = { place, commands, paths, ownFiles, rules: personRules };
  const context: GuardContext = missing === undefined ? known : { ...known, missing };
  const found = findingsIn(examined, rules, context);
  const judged = found.map((one): Judged => {
    const allowedBy = allowedByRule(one, settings.allow, examined);
    const decided = decisionFor(one.finding, settings);
    const isRuleOff = decided === "off";
    return { ...one, allowedBy, isRuleOff, decision: allowedBy === null && !isRuleOff ? decided : "allow" };
  });
  const rank = ({ decision }: Pick<Judged, "decision">): number => STRICTNESS.indexOf(decision);
  const sorted = [...judged].sort((a, b) => rank(b) - rank(a));
  return { decision: sorted[0]?.decision ?? "allow", judged: sorted };
}

function decisionFor({ rule, decision, isUnknown }: Finding, settings: JudgeSettings): Judged["decision"] | "off" {
  const { own = null, atLeast = "off", paused } = ownValue(settings.ruleSettings, rule) ?? {};
  const chosen = [own ?? settings.decision ?? decision, atLeast];
  if (paused !== undefined || chosen.every((choice) => choice === "off")) return "off";
  if (isUnknown) return settings.unknown;
  return chosen.includes("block") ? "block" : "ask";
}

function findingsIn(examined: Examined, rules: Guard, context: GuardContext): readonly Found[] {
  const { judgeCall, judgeCommand, judgeFile, judgeTool, judgeAll, programsOf } = rules;
  const programs = programsOf?.(context) ?? rules.programs;
  const found: Found[] = [...(judgeAll?.(examined, context) ?? [])];
  const add = (finding: Finding | null | undefined, call: Call | null, file: FileAccess | null): void => {
    if (finding) found.push({ finding, about: { call, file } });
  };
  for (const command of examined.commands) {
    for (const call of command.calls) add(judgeCall?.(call, context, command.calls), call, null);
    add(judgeCommand?.(command, context), null, null);
    add(unreadPart(command, programs), null, null);
  }
  if (examined.tool !== undefined) add(judgeTool?.(examined.tool, context), null, null);
  for (const file of examined.files) add(judgeFile?.(file, context), file.call, file);
  const scripts = scriptLines(examined);
  return found.map(({ finding, about }) => {
    const targets = targetsOf(finding, about, examined.commands);
    return { finding: { ...finding, targets, ...writtenPart(finding, examined, scripts) }, about };
  });
}

interface ScriptLine {
  readonly name: string;
  readonly line: string;
}

/** The texts of the scripts that the agent wrote before, each on one line. */
const scriptLines = ({ place: { scripts, folder } }: Examined): readonly ScriptLine[] =>
  [...(scripts ?? [])].map(([path, text]) => ({
    name: path.startsWith(`${folder}/`) ? `./${path.slice(folder.length + 1)}` : path,
    line: oneLine(text),
  }));

/**
 * The part that is in the text of the command or of a script that it starts, which the effect then names. For a call that
 * an alias, inline code or xargs makes up, the call around it.
 */
function writtenPart(
  { part, effect }: Finding,
  { commands }: Examined,
  scripts: readonly ScriptLine[],
): Pick<Finding, "part" | "effect"> {
  for (const { text, calls } of commands) {
    let call = calls.find(({ source, parent }) => parent !== null && source === part) ?? null;
    if (call === null || text.length > LONGEST_SEARCHED) continue;
    const line = oneLine(text);
    for (; call.parent !== null && !line.includes(call.source); call = call.parent.call) {
      const { source } = call;
      const script = scripts.find((one) => one.line.includes(source));
      if (script !== undefined) return { part: source, effect: `${effect} (in ${script.name})` };
    }
    return { part: call.source, effect };
  }
  return { part, effect };
}

/** In a longer text the search for each finding would take long. */
const LONGEST_SEARCHED = 20_000;

const LONGEST_PART = 120;

/**
 * A part that could not be followed is a finding of every guard if the analysis ended at a limit: no guard has
 * judged the part after the limit. A part with another fault is a finding if it names a program that the guard judges.
 */
function unreadPart({ gaps }: CommandAnalysis, programs: readonly string[]): Finding | null {
  for (const { kind, source, why } of gaps) {
    if (kind === "size" || kind === "depth")
      return notRead(source, `was not judged as a whole: ${why}`, "Split it into several calls.");
    const words = new Set(source.split(/[^\w.-]+/));
    const program = programs.find((one) => words.has(one));
    if (program !== undefined)
      return notRead(partAround(program, source), `names ${program} and was not understood: ${why}`);
  }
  return null;
}

/** The rule of every guard about a part that could not be followed. */
export const NOT_READ = "not-read";

const notRead = (part: string, effect: string, instead = "Write it as a simple command."): Finding => ({
  rule: NOT_READ,
  decision: "ask",
  part,
  effect,
  instead,
  isUnknown: true,
});

/** A long text from a little before the program on. */
function partAround(program: string, source: string): string {
  const at = source.search(new RegExp(`(?<![\\w.-])${program.replace(/\W/g, "\\$&")}(?![\\w.-])`));
  return at <= LONGEST_PART ? source : `…${source.slice(at - 20, at + LONGEST_PART)}`;
}

const oneLine = (text: string): string => text.replace(/\s+/g, " ").trim();

/** The words that fit: half of a secret would not be found when secrets are redacted. */
function startOf(line: string): string {
  const words = line.slice(0, LONGEST_PART + 1).replace(/\S*$/, "");
  return words === "" ? line.slice(0, LONGEST_PART) : words;
}

/** The reason of a verdict, for the agent: the part of the command, what would happen, and a safe alternative. */
export function reasonOf({ part, effect, instead }: Finding): string {
  const line = oneLine(part);
  const shown = line.length > LONGEST_PART ? `${startOf(line)}…` : line;
  // A call of a file tool has only the path.
  const what = effect.endsWith(`(${line})`) ? "This call" : `\`${shown}\``;
  return `${what} ${effect}. ${instead}`;
}
