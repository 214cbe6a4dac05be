import { posix } from "node:path";
import type { AllowRule, EffectiveGuard } from "../../src/protocol/guard-settings.ts";
import { globMatches } from "../../src/protocol/match.ts";
import { ownValue } from "../../src/protocol/own-value.ts";
import { isWithin } from "../../src/protocol/text/text.ts";
import { UNKNOWN } from "../../src/shell/unknown.ts";
import { analyzeCommand } from "./command/analyze.ts";
import type { Call, CommandAnalysis, CommandPlace, Word } from "./command/call.ts";
import type { FileAccess } from "./command/files/file-access.ts";
import { targetsOf } from "./effects/intents.ts";
import type { Examined } from "./examine.ts";
import type { Finding, Guard, GuardContext, OwnFile } from "./guard.ts";

/** A finding with the place where it was made, and what the settings make of it. */
export interface Judged {
  readonly finding: Finding;
  readonly decision: "allow" | "ask" | "block";
  /** The user's rule that allows it, or null. */
  readonly allowedBy: AllowRule | null;
  /** True if the settings turn the rule off. */
  readonly isRuleOff: boolean;
  /** The subject of the finding: a program, a file, or the whole command. */
  readonly about: { readonly call: Call | null; readonly file: FileAccess | null };
}

export interface GuardVerdict {
  readonly decision: "allow" | "ask" | "block";
  /** The strictest first. */
  readonly judged: readonly Judged[];
}

const STRICTNESS = ["allow", "ask", "block"] as const;

/** The settings of a guard that change its verdicts. */
export type JudgeSettings = Pick<EffectiveGuard, "decision" | "unknown" | "allow" | "paths" | "ruleSettings">;

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
  const context: GuardContext = { place: examined.place, commands, paths: settings.paths, ownFiles };
  const found = findingsIn(examined, rules, context);
  const judged = found.map((one): Judged => {
    const allowedBy = isAllowed(one.about, settings.allow, examined);
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

type Found = Pick<Judged, "finding" | "about">;

function findingsIn(examined: Examined, rules: Guard, context: GuardContext): readonly Found[] {
  const { judgeCall, judgeCommand, judgeFile } = rules;
  const found: Found[] = [];
  const add = (finding: Finding | null | undefined, call: Call | null, file: FileAccess | null): void => {
    if (finding) found.push({ finding, about: { call, file } });
  };
  for (const command of examined.commands) {
    for (const call of command.calls) add(judgeCall?.(call, context), call, null);
    add(judgeCommand?.(command, context), null, null);
    add(unreadPart(command, rules), null, null);
  }
  for (const file of examined.files) add(judgeFile?.(file, context), file.call, file);
  return found.map(({ finding, about }) => {
    const targets = targetsOf(finding, about, examined.commands);
    return { finding: { ...finding, targets, part: writtenPart(finding, examined) }, about };
  });
}

/** The part that is in the text of the command: for a call that an alias, inline code or xargs makes up, the call around it. */
function writtenPart({ part }: Finding, { commands }: Examined): string {
  for (const { text, calls } of commands) {
    let call = calls.find(({ source, parent }) => parent !== null && source === part) ?? null;
    if (call === null || text.length > LONGEST_SEARCHED) continue;
    const line = oneLine(text);
    while (call.parent !== null && !line.includes(call.source)) call = call.parent.call;
    return call.source;
  }
  return part;
}

/** In a longer text the search for each finding would take long. */
const LONGEST_SEARCHED = 20_000;

const LONGEST_PART = 120;

/**
 * A part that could not be followed is a finding of every guard if the analysis ended at a limit: no guard has
 * judged the part after the limit. A part with another fault is a finding if it names a program that the guard judges.
 */
function unreadPart({ gaps }: CommandAnalysis, { programs }: Guard): Finding | null {
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

const notRead = (part: string, effect: string, instead = "Write it as a simple command."): Finding => ({
  rule: "not-read",
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

/** The reason of a verdict, for the agent: the part of the command, what would happen, and a safe alternative. */
export function reasonOf({ part, effect, instead }: Finding): string {
  const line = oneLine(part);
  const shown = line.length > LONGEST_PART ? `${line.slice(0, LONGEST_PART)}…` : line;
  return `\`${shown}\` ${effect}. ${instead}`;
}

/**
 * The user's rule that allows the subject of a finding, or null. A rule is a command line, compared word by word after
 * analysis (`*` matches any one word), or a file path.
 */
function isAllowed(
  { call, file }: Judged["about"],
  rules: readonly AllowRule[],
  { place, commands }: Examined,
): AllowRule | null {
  for (const rule of rules) {
    if (file !== null && fileFits(file, rule, place)) return rule;
    const expected = callsOf(rule, place);
    if (call !== null && expected.length === 1 && expected.every((one) => callFits(call, one, rule))) return rule;
    const all = commands.flatMap(({ calls }) => calls.filter(({ parent }) => parent === null));
    const isWhole = call === null && file === null && all.length === expected.length;
    if (isWhole && all.every((one, at) => callFits(one, expected[at], rule))) return rule;
  }
  return null;
}

const callsOf = ({ text }: AllowRule, place: CommandPlace): readonly Call[] => {
  const { calls, gaps } = analyzeCommand(text, place);
  return gaps.length > 0 ? [] : calls.filter(({ parent }) => parent === null);
};

function callFits(call: Call, expected: Call | undefined, { folder }: AllowRule): boolean {
  if (expected === undefined || call.isRemote || call.program !== expected.program) return false;
  // A rule of a project applies only in this project.
  if (folder !== null && (call.folder === null || !isWithin(call.folder, folder))) return false;
  return (
    call.args.length === expected.args.length &&
    sameVariables(call, expected) &&
    call.args.every((word, at) => wordFits(word, expected.args[at])) &&
    call.redirections
      .filter(isFile)
      .every(({ kind, target }) =>
        expected.redirections.some((one) => one.kind === kind && one.target.text === target.text),
      )
  );
}

/** `GIT_DIR=/other git push` is another command than `git push`. */
const sameVariables = ({ variables }: Call, expected: Call): boolean =>
  variables.size === expected.variables.size &&
  [...variables].every(([name, value]) => expected.variables.get(name) === value);

const isFile = ({ kind, target }: Call["redirections"][number]): boolean =>
  kind !== "read" && !target.text.startsWith("/dev/");

function wordFits(word: Word, expected: Word | undefined): boolean {
  if (expected === undefined) return false;
  if (expected.isGlob && expected.text === "*") return !word.text.includes(UNKNOWN);
  // Equal texts with unknown parts may have different values at run time.
  const isKnown = !word.text.includes(UNKNOWN) || word.source === expected.source;
  return isKnown && word.text === expected.text && word.isGlob === expected.isGlob;
}

/** A path without spaces allows the file itself, for every program and tool. */
function fileFits(file: FileAccess, { text, folder }: AllowRule, place: CommandPlace): boolean {
  if (/\s/.test(text) || !/[/.~]/.test(text) || file.isGlob || file.path.includes(UNKNOWN)) return false;
  const base = folder ?? place.project;
  const path = /^~\//.test(text) ? place.home + text.slice(1) : posix.resolve(base, text);
  if (folder !== null && !isWithin(path, folder)) return false;
  return globMatches(path, file.path);
}
