import type { AllowRule, EffectiveGuard } from "../protocol/guard-settings.ts";
import { isAllowed } from "./allow-rules.ts";
import type { Call, CommandAnalysis } from "./command/call.ts";
import type { FileAccess } from "./command/files/file-access.ts";
import type { Examined } from "./examine.ts";
import type { Finding, Guard, GuardContext, OwnFile } from "./guard.ts";

/** A finding with the place where it was made, and what the settings make of it. */
export interface Judged {
  readonly finding: Finding;
  readonly decision: "allow" | "ask" | "block";
  /** The rule of the person that allows it; null: none does. */
  readonly allowedBy: AllowRule | null;
  /** What it is about: a program, a file, or the command as a whole. */
  readonly about: { readonly call: Call | null; readonly file: FileAccess | null };
}

export interface GuardVerdict {
  readonly decision: "allow" | "ask" | "block";
  /** The strictest first. */
  readonly judged: readonly Judged[];
}

const STRICTNESS = ["allow", "ask", "block"] as const;

/** Judges a tool call by the rules of one guard and its settings. */
export function judge(
  examined: Examined,
  { rules, settings }: { readonly rules: Guard; readonly settings: EffectiveGuard },
  ownFiles: readonly OwnFile[],
): GuardVerdict {
  const context: GuardContext = { place: examined.place, paths: settings.paths, ownFiles };
  const found = findingsIn(examined, rules, context);
  const judged = found.map((one): Judged => {
    const allowedBy = isAllowed(one.about, settings.allow, examined);
    return { ...one, allowedBy, decision: allowedBy === null ? decisionFor(one.finding, settings) : "allow" };
  });
  const rank = ({ decision }: Pick<Judged, "decision">): number => STRICTNESS.indexOf(decision);
  const sorted = [...judged].sort((a, b) => rank(b) - rank(a));
  return { decision: sorted[0]?.decision ?? "allow", judged: sorted };
}

function decisionFor({ decision, isUnknown }: Finding, settings: EffectiveGuard): Judged["decision"] {
  return isUnknown ? settings.unknown : (settings.decision ?? decision);
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
  return found;
}

const LONGEST_PART = 120;

/** A part that could not be followed counts if it names a program that the guard judges. */
function unreadPart({ gaps }: CommandAnalysis, { programs }: Guard): Finding | null {
  for (const { source, why } of gaps) {
    const words = new Set(source.split(/[^\w.-]+/));
    const program = programs.find((one) => words.has(one));
    if (program !== undefined) return unread(partAround(program, source), program, why);
  }
  return null;
}

/** A long text from a little before the program on. */
function partAround(program: string, source: string): string {
  const at = source.search(new RegExp(`(?<![\\w.-])${program.replace(/\W/g, "\\$&")}(?![\\w.-])`));
  return at <= LONGEST_PART ? source : `…${source.slice(at - 20, at + LONGEST_PART)}`;
}

const unread = (source: string, program: string, why: string): Finding => ({
  rule: "not-read",
  decision: "ask",
  part: source,
  effect: `names ${program} and was not understood: ${why}`,
  instead: "Write it as a simple command.",
  isUnknown: true,
});

/** The reason of a verdict, for the agent: the part of the command, what would happen, and a safe alternative. */
export function reasonOf({ part, effect, instead }: Finding): string {
  const line = part.replace(/\s+/g, " ").trim();
  const shown = line.length > LONGEST_PART ? `${line.slice(0, LONGEST_PART)}…` : line;
  return `\`${shown}\` ${effect}. ${instead}`;
}
