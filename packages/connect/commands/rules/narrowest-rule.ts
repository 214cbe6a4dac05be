import { relative } from "node:path";
import { ruleFaults } from "../../../../src/config/schema/check-rules.ts";
import { offReason } from "../../../../src/engine/hooks/select-hooks.ts";
import type { RunContext } from "../../../../src/engine/run-context.ts";
import { isInside } from "../../../../src/fs/paths.ts";
import type { EffectiveGuard, GuardName } from "../../../../src/protocol/guard-settings.ts";
import type { RuleSubject, ScopedRule } from "../../../../src/protocol/rule-settings.ts";
import { shellQuote } from "../../../../src/protocol/text/shell-quote.ts";
import { UNKNOWN } from "../../../../src/shell/unknown.ts";
import { withCurrentRules } from "../../../guard-hooks/current-rules.ts";
import { guardPlace } from "../../../guard-hooks/guard-place.ts";
import { loadRules } from "../../../guard-hooks/load-rules.ts";
import type { Call, Word } from "../../../guards/command/call.ts";
import { type Examined, withParser } from "../../../guards/examine.ts";
import { type Judged, judge } from "../../../guards/judge.ts";

/** A rule that allows: one of the person's lists, or an entry of one guard. */
export type Allowing =
  | { readonly subject: RuleSubject; readonly match: string }
  | { readonly guard: GuardName; readonly match: string };

/** A finding that stops a call, with its guard. */
export interface Stop {
  readonly guard: EffectiveGuard;
  readonly judged: Judged;
}

/** The place of a call that is judged again with rules in addition. */
export interface JudgePlace {
  readonly context: RunContext;
  readonly folder: string;
  /** True if the rules count in this project alone. */
  readonly isHere: boolean;
}

/** What the guards stop in a call, if these rules were in the settings. */
export async function stopsOf(
  examined: Examined,
  allowing: readonly Allowing[],
  { context, isHere }: JudgePlace,
): Promise<readonly Stop[]> {
  const place = guardPlace(context);
  const use = { folder: place.usedRules, claimed: new Set<string>() };
  const project = isHere ? context.scopes.rootDir : null;
  const on = place.guards.filter((guard) => !guard.observe && offReason(guard, context) === null);
  const all = on.map(async (one): Promise<readonly Stop[]> => {
    const guard = withAllowed(withCurrentRules(one, use), allowing, project);
    const rules = await loadRules(guard.name, place);
    const { judged } = await withParser(() => judge(examined, { rules, settings: guard }, place.ownFiles));
    return judged.flatMap((found) => (found.decision === "allow" ? [] : [{ guard, judged: found }]));
  });
  return (await Promise.all(all)).flat();
}

/** The guard with rules in addition. Nothing of a person loosens a guard of the machine. */
function withAllowed(guard: EffectiveGuard, allowing: readonly Allowing[], folder: string | null): EffectiveGuard {
  if (guard.source === "machine") return guard;
  const added = allowing.flatMap((one) => {
    if ("guard" in one) return one.guard === guard.name ? [{ text: one.match, folder }] : [];
    const rule: ScopedRule = { ...one, list: "allow", file: "", source: "config", level: 1, folder };
    return [{ text: one.match, folder, rule }];
  });
  return { ...guard, allow: [...guard.allow, ...added] };
}

/** The rules that let a call pass, each as narrow as possible; null if no rule can. */
export async function narrowestRules(examined: Examined, place: JudgePlace): Promise<readonly Allowing[] | null> {
  const chosen: Allowing[] = [];
  for (let round = 0; round < MOST_RULES; round++) {
    const stops = await stopsOf(examined, chosen, place);
    const [stop] = stops;
    if (stop === undefined) return chosen;
    const next = await firstAllowing(stop, { examined, stops, chosen }, place);
    if (next === null) return null;
    chosen.push(next);
  }
  return null;
}

/** A call that needs more rules is no one thing that a person would allow. */
const MOST_RULES = 8;

interface Present {
  readonly examined: Examined;
  readonly stops: readonly Stop[];
  readonly chosen: readonly Allowing[];
}

/** The narrowest rule with which fewer findings stop the call. */
async function firstAllowing(
  stop: Stop,
  { examined, stops, chosen }: Present,
  place: JudgePlace,
): Promise<Allowing | null> {
  for (const one of candidatesFor(stop, examined, place)) {
    if (!isValid(one)) continue;
    if ((await stopsOf(examined, [...chosen, one], place)).length < stops.length) return one;
  }
  return null;
}

const isValid = (one: Allowing): boolean =>
  "guard" in one || ruleFaults({ [one.subject]: { allow: [{ match: one.match }] } }, "").length === 0;

/** Rules that may allow the subject of a finding, the narrowest first. */
function candidatesFor({ guard, judged }: Stop, examined: Examined, place: JudgePlace): readonly Allowing[] {
  const { call, file } = judged.about;
  const calls = around(call ?? file?.call ?? null);
  const texts = calls.map(commandText).filter((text) => text !== "");
  const hosts = calls.flatMap(({ args }) => args.flatMap(({ text }) => HOST.exec(text)?.[1] ?? []));
  const whole = examined.commands.map(({ text }) => text).join("\n");
  const path = file === null ? null : ruleFile(file.path, place);
  return [
    ...texts.map((match): Allowing => ({ subject: "commands", match })),
    // A rule about files allows changes; what a tool reads, an entry of the guard.
    ...(path === null ? [] : [{ subject: "files", match: path } as const, { guard: guard.name, match: path }]),
    ...hosts.map((match): Allowing => ({ subject: "hosts", match })),
    ...texts.map((match): Allowing => ({ guard: guard.name, match })),
    ...(whole === "" ? [] : [{ guard: guard.name, match: whole }]),
  ];
}

const HOST = /^[a-z][a-z\d+.-]*:\/\/(?:[^/@]*@)?([^/:?#]+)/i;

/** The call and the calls that start it: `sudo rm` for `rm`. */
const around = (call: Call | null): readonly Call[] =>
  call === null ? [] : [call, ...around(call.parent?.relation === "wrapper" ? call.parent.call : null)];

/** The command line of one call: its variables, program, words and redirections. */
function commandText({ variables, program, args, redirections }: Call): string {
  const set = [...variables].map(([name, value]) => `${name}=${shellQuote(value)}`);
  const written = redirections.filter(({ kind, target }) => kind !== "read" && !target.text.startsWith("/dev/"));
  const redirected = written.map(({ kind, target }) => `${kind === "append" ? ">>" : ">"} ${wordText(target)}`);
  return [...set, program, ...args.map(wordText), ...redirected].join(" ");
}

/** A word whose value is known only at run time is compared by its text. */
const wordText = ({ text, source, isGlob }: Word): string =>
  isGlob || text.includes(UNKNOWN) || text === source ? source : shellQuote(text);

/** The path of a file as rules have it: relative to the project, or below `~`. */
function ruleFile(path: string, { context, isHere }: JudgePlace): string {
  const { rootDir, homeDir } = context.scopes;
  if (isHere && isInside(rootDir, path)) return `./${relative(rootDir, path)}`;
  return homeDir !== null && isInside(homeDir, path) ? `~/${relative(homeDir, path)}` : path;
}
