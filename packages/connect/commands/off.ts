import { appendLine } from "../../../src/audit/append.ts";
import { type PauseLineInput, pauseLine } from "../../../src/audit/log-lines.ts";
import { type CommandResult, print } from "../../../src/cli/command-result.ts";
import type { CommandLine, OptionsOf } from "../../../src/cli/command-table.ts";
import {
  openPersonTerminal,
  requirePerson,
  requirePersonWithoutAgent,
  requireYes,
} from "../../../src/cli/prompt/require-person.ts";
import { createCheckedContext, createRunContext } from "../../../src/engine/create-run-context.ts";
import { findAllCandidates } from "../../../src/engine/hooks/candidates.ts";
import { resolveHooks } from "../../../src/engine/hooks/resolve-hooks.ts";
import { isKeptOn, withoutPauses } from "../../../src/engine/hooks/select-hooks.ts";
import type { Host } from "../../../src/engine/host.ts";
import { countsIn, pauseClock } from "../../../src/engine/pauses.ts";
import { userName } from "../../../src/engine/run/call-origin.ts";
import type { RunContext } from "../../../src/engine/run-context.ts";
import { defaultPausesFile } from "../../../src/engine/user-paths.ts";
import { EXIT } from "../../../src/protocol/exit-code.ts";
import { GUARD_NAMES } from "../../../src/protocol/guard-settings.ts";
import type { Hook } from "../../../src/protocol/hook.ts";
import { objectOr } from "../../../src/protocol/json/read.ts";
import { isInEffect, type Pause } from "../../../src/protocol/pause.ts";
import { fail, ok, ProblemError, unwrap } from "../../../src/protocol/result.ts";
import { unknownHook } from "../../../src/protocol/text/nearest.ts";
import { quoteHookNames } from "../../../src/protocol/text/shell-quote.ts";
import { truncateEscaped } from "../../../src/protocol/text/text.ts";
import { parseDuration } from "../../../src/protocol/text/units.ts";
import { NO_USABLE_HOME } from "../../../src/protocol/unsafe-path.ts";
import type { Warning } from "../../../src/protocol/warning.ts";
import { warningLines } from "../../../src/report/warning-lines.ts";
import { changePauses, readPauses } from "../../../src/trust/store/pauses.ts";
import type { Switch } from "../install/settings-file/edit-switches.ts";
import { releasedText } from "../report/guard-rules-text.ts";
import {
  type OffForGood,
  offText,
  pausePrompt,
  pausesJson,
  pausesText,
  resumedJson,
  resumedText,
} from "../report/off-text.ts";
import { effectiveRows, type SettingValue } from "./config/effective-rows.ts";
import {
  releasedCommands,
  requireOwnGuard,
  rulesLeftOff,
  rulesOff,
  setRules,
  turnRulesOn,
} from "./guards/rule-switches.ts";
import { allRules, type GuardRule, mayNameRule, ruleNamed } from "./guards/rules-named.ts";
import { switchNames } from "./guards/set-switches.ts";
import { switchesNamed } from "./guards/switches-named.ts";
import { findUnaffected } from "./guards/unaffected.ts";
import { wrongWords } from "./wrong-words.ts";

const LEAST_MS = 1000;

/**
 * `hookctl off NAME…`: with `--for DURATION` pauses hooks, guards and rules of guards, with `--for good` switches them off in the
 * settings. Without names: lists every pause in effect, in all projects, and what settings switch off here.
 */
export async function off({ args, options }: CommandLine<"off">, host: Host): Promise<CommandResult> {
  const { forMs, isEverywhere, isHere, scope, dryRun: isDry } = options;
  requireOnePlace("off", options);
  if (args.length === 0 && forMs === null && !isEverywhere) return listPauses(options, host);
  if (args.length === 0) throw wrongWords("off: missing argument NAME.", "hookctl off git --for 10m");
  const { context } = unwrap(await createCheckedContext(inAllHooks(options), host, false));
  const { rules, others } = await splitNames(args, context);
  const named = others.filter((name) => name !== "cage");
  const isLasting = forMs === null ? named.length === 0 || scope !== null : forMs === Number.POSITIVE_INFINITY;
  if (!isLasting) return pause({ rules, others, names: args }, options, { context, host });
  const isProject = scope === "project";
  if (rules.length > 0 && isProject)
    throw wrongWords("Rules are turned off in your settings only.", "hookctl off --help");
  // Like a pause and a rule that allows, it acts in this project.
  const isRuleHere = isHere || (scope === null && !isEverywhere && context.scopes.hasProject);
  const change = { rules, choice: "off" as const, isHere: isRuleHere, isDry };
  const set = rules.length === 0 ? null : await setRules(change, options, { context, host });
  if (others.length === 0 || set?.ok === false) return set ?? ok(EXIT.ok);
  return switchNames({ names: others, isOn: false, isProject, isHere, isDry }, options, host);
}

function requireOnePlace(command: "on" | "off", { isHere, isEverywhere, scope }: OptionsOf<"on">): void {
  const given = { "--here": isHere, "--everywhere": isEverywhere, "--scope project": scope === "project" };
  const [one, other] = Object.entries(given).flatMap(([option, isGiven]) => (isGiven ? [option] : []));
  if (other !== undefined) throw wrongWords(`${one} and ${other} cannot be combined.`, `hookctl ${command} --help`);
}

async function listPauses(options: OptionsOf<"off">, host: Host): Promise<CommandResult> {
  const { context, loaded } = unwrap(await createRunContext(options, host, false));
  const refused = refusedPauses(loaded.warnings);
  host.err(warningLines(refused));
  const isUsable = refused.length === 0 && context.scopes.homeDir !== null;
  const pauses = isUsable ? currentPauses(context) : [];
  const forGood = offForGood(context);
  return print(options.json ? `${pausesJson(pauses, forGood)}\n` : offText(pauses, forGood, context), host);
}

/** The guards, rules and hooks that settings files switch off; of several values for a rule, the first one applies. */
function offForGood(context: RunContext): readonly OffForGood[] {
  const found = new Map<string, OffForGood | null>();
  const note = (name: string, isOff: boolean, { file, origin }: Pick<SettingValue, "file" | "origin">): void => {
    if (!found.has(name)) found.set(name, isOff && file !== null ? { name, file, isHere: origin === "here" } : null);
  };
  for (const row of effectiveRows(context, () => false)) {
    const [, list, name = "", member] = /^(guards|overrides)\.(.+?)(?:\.(rules|enabled))?$/.exec(row.key) ?? [];
    if (list === "guards" && member === "rules") {
      for (const one of [row, ...row.others])
        for (const [rule, choice] of Object.entries(objectOr(one.value)))
          note(`${name}/${rule}`, choice === "off", one);
    } else if (list === "guards" || member === "enabled") note(name, row.value === false, row);
  }
  return [...found.values()].filter((one) => one !== null);
}

interface PausedNames {
  readonly rules: readonly GuardRule[];
  readonly others: readonly string[];
  readonly names: readonly string[];
}

async function pause(
  { rules, others, names }: PausedNames,
  options: OptionsOf<"off">,
  { context, host }: { readonly context: RunContext; readonly host: Host },
): Promise<CommandResult> {
  const { forMs, isEverywhere, yes, dryRun: isDry } = options;
  if (forMs !== null && forMs < LEAST_MS)
    return fail({ code: "USAGE_BAD_VALUE", flag: "--for", value: `${forMs}ms`, detail: "it must be at least 1s" });
  // Not even with confirmation on the terminal: an agent must not disable its guards.
  if (!isDry) await requirePersonWithoutAgent(host);
  const { nowMs, userId, scopes } = context;
  const hooks = await hooksToPause(others, context);
  for (const rule of rules) requireOwnGuard(rule, context);
  if (forMs === null) {
    const asked = await askHowLong(names, yes, host);
    return off({ command: "off", args: names, options: { ...options, ...asked, yes: true } }, host);
  }
  const pauses = [...new Set(names)].map((name) => ({
    name,
    project: isEverywhere || !scopes.hasProject ? null : scopes.rootDir,
    startMs: nowMs,
    endMs: nowMs + forMs,
    startUptimeMs: pauseClock(nowMs).uptimeMs,
    by: userName(userId),
  }));
  const intro = pausePrompt(hooks, rules, pauses, context);
  if (isDry) return print(options.json ? `${pausesJson(pauses)}\n` : `${intro}Nothing was written.\n`, host);
  if (!yes) await confirm(intro, host);
  const released = releasedText(await releasedCommands(rules, context));
  await start(pauses, context);
  // Read as the next call will read them.
  const [refused] = refusedPauses(unwrap(await createRunContext(options, host, false)).loaded.warnings);
  return refused === undefined
    ? print(options.json ? `${pausesJson(pauses)}\n` : pausesText(pauses, context) + released, host)
    : fail({ ...refused, code: "FILE_NOT_WRITTEN" });
}

/** Asks on the terminal how long and where these are off; without one, or with `--yes`, the command line has to say it. */
async function askHowLong(names: readonly string[], isSilent: boolean, host: Host) {
  const again = `hookctl off ${quoteHookNames(names)} --for`;
  const terminal = !isSilent && host.isStdinTerminal() ? await openPersonTerminal(host) : null;
  if (terminal === null)
    throw wrongWords("off needs --for: how long the hook is off.", `${again} 10m, or for good: ${again} good`);
  const listed = truncateEscaped(names.join(", "), 200);
  // Asked again after a typing error, so that it is not read as an answer.
  const ask = async (
    question: string,
    faultOf: (text: string) => string | null,
    before = "",
  ): Promise<string | null> => {
    const text = (await terminal.ask(before + question))?.trim() ?? null;
    const fault = text === null ? null : faultOf(text);
    return fault === null ? text : ask(question, faultOf, `  ${truncateEscaped(text ?? "", 80)} is not ${fault}\n`);
  };
  const timeFault = (text: string): string | null =>
    /^(?:good)?$/.test(text) || parseDuration(text).ok ? null : "a time, such as 10m";
  const typed = await ask(`Pause ${listed} for 10m, 2h or good (until you switch it on) [10m]: `, timeFault);
  const placeFault = (text: string): string | null =>
    /^(?:here|everywhere)?$/.test(text) ? null : "a place: here or everywhere";
  const isGood = typed === "good";
  const where = typed === null || isGood ? typed : await ask("Here (this project) or everywhere [here]: ", placeFault);
  terminal.close();
  if (isGood) return { forMs: Number.POSITIVE_INFINITY };
  const read = parseDuration(typed || "10m");
  if (where === null || !read.ok)
    throw wrongWords("Nothing was changed: the question was not answered.", `${again} 10m`);
  return { forMs: read.value, isEverywhere: where === "everywhere" };
}

/** The rules of guards among these names, and the other names. */
async function splitNames(names: readonly string[], context: RunContext) {
  if (!names.some((name) => mayNameRule(name, context.settings))) return { rules: [], others: names };
  const { names: known } = await resolveHooks(findAllCandidates(context), context, null);
  const rules = names.map((name) => ruleNamed(name, known, context.settings));
  return { rules: rules.filter((rule) => rule !== null), others: names.filter((_, at) => rules[at] === null) };
}

/** `--only` and `--skip` must not hide a hook that a pause names. */
const inAllHooks = <T extends object>(options: T) => ({ ...options, only: null, skip: [] });

/** `hookctl on NAME…`: ends pauses that apply here before their time, and turns on what the settings turn off or do not name. */
export async function on({ args, options }: CommandLine<"on">, host: Host): Promise<CommandResult> {
  const { scope, isHere, isEverywhere, dryRun: isDry } = options;
  requireOnePlace("on", options);
  const { context } = unwrap(await createRunContext(inAllHooks(options), host, false));
  const { rules, others } = await splitNames(args, context);
  const { rootDir } = context.scopes;
  const isInPlace = (pause: Pause): boolean =>
    isHere ? pause.project === rootDir : isEverywhere || countsIn(pause, rootDir);
  const isSelected = (pause: Pause): boolean => args.includes(pause.name) && isInPlace(pause);
  const ended = currentPauses(context).filter(isSelected);
  const isEnded = (name: string): boolean => ended.some((pause) => pause.name === name);
  const wanted = scope === null ? await offBySettings(others, isEnded, context) : others;
  const removed = await turnRulesOn(rules, { isHere, isDry }, { context, host });
  // An agent may make guards stricter without a person; a hook may also allow calls.
  if (!isDry && !ended.every(({ name }) => isGuard(name, context))) await requirePerson(host);
  if (ended.length > 0 && !isDry) {
    await writePauses(context, (all) => all.filter((pause) => !isSelected(pause)));
    const lost = recordPauses("hook_resumed", ended, context);
    if (lost !== null)
      host.err(warningLines([{ code: "RECORD_NOT_WRITTEN", path: context.auditFile ?? "", cause: lost }]));
  }
  const choice = { names: wanted, isOn: true, isProject: scope === "project", isHere, isDry };
  const switched = wanted.length === 0 ? ok(EXIT.ok) : await switchNames(choice, options, host);
  if (!switched.ok || (wanted.length > 0 && wanted.length === args.length)) return switched;
  const switches = others.flatMap((name) => {
    const key = isGuard(name, context) ? ("guards" as const) : ("overrides" as const);
    return wanted.includes(name) ? [] : [{ name, key }];
  });
  const all = inAllHooks(options);
  const unchanged = await findUnaffected({ switches, isOn: true, isProject: false }, all, host);
  const idle = isDry ? [] : await rulesOff(rules, all, host);
  const unaffected = [...unchanged, ...idle];
  const isOn = (name: string): boolean =>
    ![...unchanged, ...idle.filter(({ isGuardOff }) => !isGuardOff)].some((one) => one.name === name);
  const guards = switches.flatMap(({ name, key }) => (key === "guards" ? [name] : []));
  const leftOff = isDry ? [] : await rulesLeftOff(guards, all, host);
  const names = [...new Set([...ended.map(({ name }) => name), ...removed])];
  const already = args.filter((name) => ![...names, ...wanted].includes(name));
  const resumed = {
    ended: names.filter(isOn),
    already: already.filter(isOn),
    off: isDry ? [] : unaffected,
    rulesOff: leftOff,
    isDry,
  };
  const printed = print(options.json ? `${resumedJson(resumed)}\n` : resumedText(resumed), host);
  return printed.ok && resumed.off.length > 0 ? ok(EXIT.checkFailed) : printed.ok ? switched : printed;
}

/** Those of these names that settings turn off, or that are guards which no settings turn on; fails for an unknown name. */
async function offBySettings(
  names: readonly string[],
  isEnded: (name: string) => boolean,
  context: RunContext,
): Promise<readonly string[]> {
  const asked = names.filter((name) => !isEnded(name) || isGuard(name, context));
  const named = asked.filter((name) => name !== "cage");
  const found = await switchesNamed(named, true, context);
  const isOnBySettings = ({ name, key, isOff = false }: Switch): boolean =>
    key === "guards" ? context.settings.guards.some((guard) => guard.name === name) : !isOff;
  const off = found.filter((one) => !isOnBySettings(one)).map(({ name }) => name);
  return asked.filter((name) => name === "cage" || off.includes(name.replace(/-safety$/, "")) || off.includes(name));
}

const isGuard = (name: string, { settings }: Pick<RunContext, "settings">): boolean =>
  GUARD_NAMES.some((guard) => guard === name) || allRules(settings).some((rule) => rule.name === name);

/** The hooks of these names that would run and that the machine's settings allow to pause. Nothing is started. */
async function hooksToPause(names: readonly string[], context: RunContext): Promise<readonly Hook[]> {
  const { hooks } = await resolveHooks(findAllCandidates(context), withoutPauses(context), null);
  const known = hooks.map((hook) => hook.name);
  const found = names.flatMap((name) => {
    const named = hooks.filter((hook) => hook.name === name);
    const [first] = named;
    if (first === undefined)
      throw isGuard(name, context) ? isOffAlready(name) : new ProblemError(unknownHook(name, known));
    const pausable = named.filter((hook) => !isKeptOn(hook, context.settings));
    if (pausable.length === 0)
      throw new ProblemError({ code: "USAGE_MACHINE_HOOK", name, path: first.entry?.file ?? first.path });
    const running = pausable.filter(({ disabledReason }) => disabledReason === null);
    if (running.length === 0) throw isOffAlready(name, pausable[0]?.disabledReason);
    return running;
  });
  return [...new Set(found)];
}

const isOffAlready = (name: string, reason: string | null = null): ProblemError =>
  wrongWords(`${name} is off already${reason === null ? "" : `: ${reason}`}.`, "hookctl list");

async function confirm(intro: string, host: Host): Promise<void> {
  const choices = { yes: "these hooks do not run until then", no: "change nothing" };
  const question = { intro, question: "Switch off?", choices };
  const cause = "there is no terminal to ask you on";
  await requireYes(await openPersonTerminal(host), question, { code: "TRUST_NOT_CONFIRMED", cause });
}

/** Recorded before it takes effect, so that no pause goes unrecorded. */
async function start(pauses: readonly Pause[], context: RunContext): Promise<void> {
  pausesFile(context);
  const unrecorded = recordPauses("hook_paused", pauses, context);
  if (unrecorded !== null)
    throw new ProblemError({ code: "FILE_NOT_WRITTEN", path: context.auditFile ?? "", cause: unrecorded });
  const isReplaced = ({ name, project }: Pause): boolean =>
    pauses.some((pause) => pause.name === name && pause.project === project);
  await writePauses(context, (before) => [...before.filter((pause) => !isReplaced(pause)), ...pauses]);
}

const refusedPauses = (warnings: readonly Warning[]) => warnings.filter((warning) => warning.code === "PAUSES_REFUSED");

/** Fails without a home directory. */
function pausesFile({ scopes }: RunContext): string {
  if (scopes.homeDir !== null) return defaultPausesFile(scopes.homeDir);
  throw new ProblemError({ code: "FILE_NOT_WRITTEN", path: "pauses.json", cause: NO_USABLE_HOME });
}

/** The pauses in effect, in all projects; none if the file cannot be used. */
function currentPauses(context: RunContext): readonly Pause[] {
  const stored = readPauses(pausesFile(context), context.userId);
  const clock = pauseClock(context.nowMs);
  return stored.ok ? stored.value.filter((pause) => isInEffect(pause, clock)) : [];
}

async function writePauses(context: RunContext, change: (pauses: readonly Pause[]) => readonly Pause[]): Promise<void> {
  const path = pausesFile(context);
  const cause = await changePauses(path, context.userId, change);
  if (cause !== null) throw new ProblemError({ code: "FILE_NOT_WRITTEN", path, cause });
}

/** Adds a line to the audit log. Returns why that failed, or null. */
function recordPauses(
  kind: PauseLineInput["kind"],
  pauses: readonly Pause[],
  { auditFile, settings, nowMs }: RunContext,
): string | null {
  if (settings.record === "off") return null;
  if (auditFile === null) return "there is no private folder for the audit log";
  const isoTime = new Date(nowMs).toISOString();
  const lost = pauses.map((pause) => appendLine(auditFile, pauseLine({ kind, isoTime, pause })));
  return lost.find((cause) => cause !== null) ?? null;
}
