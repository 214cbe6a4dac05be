import { appendLine } from "../../../src/audit/append.ts";
import { type PauseLineInput, pauseLine } from "../../../src/audit/log-lines.ts";
import { type CommandResult, print } from "../../../src/cli/command-result.ts";
import type { CommandLine } from "../../../src/cli/command-table.ts";
import { askChoice } from "../../../src/cli/prompt/ask-choice.ts";
import {
  openPersonTerminal,
  requirePerson,
  requirePersonWithoutAgent,
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
import { isInEffect, type Pause } from "../../../src/protocol/pause.ts";
import { fail, ok, ProblemError, unwrap } from "../../../src/protocol/result.ts";
import { unknownHook } from "../../../src/protocol/text/nearest.ts";
import { quoteHookNames } from "../../../src/protocol/text/shell-quote.ts";
import { NO_USABLE_HOME } from "../../../src/protocol/unsafe-path.ts";
import type { Warning } from "../../../src/protocol/warning.ts";
import { warningLines } from "../../../src/report/warning-lines.ts";
import { changePauses, readPauses } from "../../../src/trust/store/pauses.ts";
import { pausePrompt, pausesJson, pausesText, resumedJson, resumedText } from "../report/off-text.ts";
import { requireOwnGuard, setRules, turnRulesOn } from "./guards/rule-switches.ts";
import { allRules, ruleNamed } from "./guards/rules-named.ts";
import { findUnaffected } from "./guards/unaffected.ts";

const LEAST_MS = 1000;

/**
 * `hookctl off NAME… --for DURATION`: pauses hooks, guards and rules of guards. A rule without a duration is switched off in the
 * settings. Without names: lists every pause in effect, in all projects.
 */
export async function off({ args, options }: CommandLine<"off">, host: Host): Promise<CommandResult> {
  const { forMs, isEverywhere, isHere, json } = options;
  const printPauses = (pauses: readonly Pause[], nowMs: number): CommandResult =>
    print(json ? `${pausesJson(pauses)}\n` : pausesText(pauses, nowMs), host);
  if (args.length === 0 && forMs === null && !isEverywhere) {
    const { context, loaded } = unwrap(await createRunContext(options, host, false));
    const refused = refusedPauses(loaded.warnings);
    host.err(warningLines(refused));
    const isUsable = refused.length === 0 && context.scopes.homeDir !== null;
    return printPauses(isUsable ? currentPauses(context) : [], context.nowMs);
  }
  if (args.length > 0 && forMs === null && args.every((name) => name.includes("/"))) {
    const { context } = unwrap(await createCheckedContext(inAllHooks(options), host, false));
    const { rules, others } = await splitNames(args, context);
    if (others.length === 0) return setRules({ rules, choice: "off", isHere }, options, { context, host });
  }
  if (args.length === 0 || forMs === null) {
    const detail = args.length === 0 ? "off: missing argument NAME." : "off needs --for: how long the hook is off.";
    const tryThis = `hookctl off ${args.length === 0 ? "git" : quoteHookNames(args)} --for 10m`;
    return fail({ code: "USAGE_WRONG_WORDS", detail, tryThis });
  }
  if (forMs < LEAST_MS)
    return fail({ code: "USAGE_BAD_VALUE", flag: "--for", value: `${forMs}ms`, detail: "it is at least 1s" });
  // Not even with confirmation on the terminal: an agent must not disable its guards.
  await requirePersonWithoutAgent(host);
  const { context } = unwrap(await createCheckedContext(inAllHooks(options), host, false));
  const { nowMs, userId, scopes } = context;
  const { rules, others } = await splitNames(args, context);
  const hooks = await hooksToPause(others, context);
  for (const rule of rules) requireOwnGuard(rule, context);
  const pauses = [...new Set(args)].map((name) => ({
    name,
    project: isEverywhere ? null : scopes.rootDir,
    startMs: nowMs,
    endMs: nowMs + forMs,
    startUptimeMs: pauseClock(nowMs).uptimeMs,
    by: userName(userId),
  }));
  await confirm(pausePrompt(hooks, rules, pauses, nowMs), host);
  await start(pauses, context);
  // Read as the next call will read them.
  const [refused] = refusedPauses(unwrap(await createRunContext(options, host, false)).loaded.warnings);
  return refused === undefined ? printPauses(pauses, nowMs) : fail({ ...refused, code: "FILE_NOT_WRITTEN" });
}

/** The rules of guards among these names, and the other names. */
async function splitNames(names: readonly string[], context: RunContext) {
  if (!names.some((name) => name.includes("/"))) return { rules: [], others: names };
  const { names: known } = await resolveHooks(findAllCandidates(context), context, null);
  const rules = names.map((name) => ruleNamed(name, known, context.settings));
  return {
    rules: rules.filter((rule) => rule !== null),
    others: names.filter((_, at) => rules[at] === null),
  };
}

/** `--only` and `--skip` must not hide a hook that a pause names. */
const inAllHooks = <T extends object>(options: T) => ({ ...options, only: null, skip: [] });

/** `hookctl on NAME…`: ends pauses that apply here before their time. */
export async function on({ args, options }: CommandLine<"on">, host: Host): Promise<CommandResult> {
  const { context } = unwrap(await createRunContext(inAllHooks(options), host, false));
  const { rules, others } = await splitNames(args, context);
  const isSelected = (pause: Pause): boolean => args.includes(pause.name) && countsIn(pause, context.scopes.rootDir);
  const ended = currentPauses(context).filter(isSelected);
  const removed = await turnRulesOn(rules, { context, host });
  const isEnded = (name: string): boolean => ended.some((pause) => pause.name === name);
  const already = args.filter((name) => !isEnded(name) && !removed.includes(name));
  await refuseUnknownNames(
    others.filter((name) => already.includes(name)),
    context,
  );
  // An agent may make guards stricter without a person; a hook may also allow calls.
  if (!ended.every(({ name }) => isGuard(name, context))) await requirePerson(host);
  if (ended.length > 0) await writePauses(context, (all) => all.filter((pause) => !isSelected(pause)));
  const lost = recordPauses("hook_resumed", ended, context);
  if (lost !== null) {
    host.err(warningLines([{ code: "RECORD_NOT_WRITTEN", path: context.auditFile ?? "", cause: lost }]));
  }
  const switches = others.map((name) => ({
    name,
    key: isGuard(name, context) ? ("guards" as const) : ("overrides" as const),
  }));
  const unaffected = await findUnaffected({ switches, isOn: true, isProject: false }, inAllHooks(options), host);
  const isOn = (name: string): boolean => !unaffected.some((hook) => hook.name === name);
  const names = [...new Set([...ended.map(({ name }) => name), ...removed])];
  const resumed = { ended: names.filter(isOn), already: already.filter(isOn), off: unaffected };
  const printed = print(options.json ? `${resumedJson(resumed)}\n` : resumedText(resumed), host);
  return printed.ok && unaffected.length > 0 ? ok(EXIT.checkFailed) : printed;
}

const isGuard = (name: string, { settings }: Pick<RunContext, "settings">): boolean =>
  GUARD_NAMES.some((guard) => guard === name) || allRules(settings).some((rule) => rule.name === name);

async function refuseUnknownNames(names: readonly string[], context: RunContext): Promise<void> {
  if (names.length === 0) return;
  const { names: known } = await resolveHooks(findAllCandidates(context), context, null);
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined) throw new ProblemError(unknownHook(unknown, known));
}

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

function isOffAlready(name: string, reason: string | null = null): ProblemError {
  const detail = `${name} is off already${reason === null ? "" : `: ${reason}`}.`;
  return new ProblemError({ code: "USAGE_WRONG_WORDS", detail, tryThis: "hookctl list" });
}

async function confirm(intro: string, host: Host): Promise<void> {
  const terminal = await openPersonTerminal(host);
  if (terminal === null)
    throw new ProblemError({ code: "TRUST_NOT_CONFIRMED", cause: "there is no terminal to ask you on" });
  const answer = await askChoice(terminal, {
    intro,
    question: "Switch off?",
    choices: { yes: "these hooks do not run until then", no: "change nothing" },
  });
  terminal.close();
  if (answer !== "yes") throw new ProblemError({ code: "TRUST_NOT_CONFIRMED", cause: "you did not say yes" });
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
