import { isAbsolute } from "node:path";
import { type RecordedPayload, readPayloads } from "../../../../src/audit/payload-log.ts";
import { type CommandResult, print } from "../../../../src/cli/command-result.ts";
import type { CommandLine, CommonOptions } from "../../../../src/cli/command-table.ts";
import { stdoutStyle } from "../../../../src/cli/stream-style.ts";
import { readTime } from "../../../../src/cli/time-option.ts";
import { createRunContext } from "../../../../src/engine/create-run-context.ts";
import { findAllCandidates } from "../../../../src/engine/hooks/candidates.ts";
import { resolveHooks } from "../../../../src/engine/hooks/resolve-hooks.ts";
import type { Host } from "../../../../src/engine/host.ts";
import { clockText } from "../../../../src/engine/pauses.ts";
import { changedFields } from "../../../../src/engine/run/run-record.ts";
import type { RunContext } from "../../../../src/engine/run-context.ts";
import { isFolder, isSurelyMissing } from "../../../../src/fs/paths.ts";
import { findEvent } from "../../../../src/protocol/event.ts";
import { GUARD_NAMES } from "../../../../src/protocol/guard-settings.ts";
import type { Hook } from "../../../../src/protocol/hook.ts";
import { membersOf } from "../../../../src/protocol/json/read.ts";
import { type JsonRecord, printableJson, rawJson } from "../../../../src/protocol/json/write.ts";
import { hasRun, LONGEST_RUN_MS, type LoggedHook, type LoggedRun } from "../../../../src/protocol/logged-run.ts";
import type { UsageProblem } from "../../../../src/protocol/problem.ts";
import { ProblemError, unwrap } from "../../../../src/protocol/result.ts";
import type { FieldChange } from "../../../../src/protocol/run-record.ts";
import { sandboxText } from "../../../../src/protocol/sandbox.ts";
import { displayPath } from "../../../../src/report/display-path.ts";
import { allowLine, mayBeAllowed } from "../../../../src/report/run/allow-line.ts";
import { PLAIN_STYLE } from "../../../../src/report/text-style.ts";
import { decisionOf, type ExplainedCommand, explainJson, parseLines } from "../../../guard-hooks/explain-text.ts";
import { decisionText, logPrinter } from "../../report/log-text.ts";
import { type HookNow, whyText } from "../../report/why-text.ts";
import { type FoundRun, findLastStopped, findRun, type LastStopped, refuseShort, type WantedRun } from "./find-run.ts";
import { logClock } from "./log.ts";
import { isEmptyLog, unrecorded } from "./selected-lines.ts";

/** `hookctl why [RUN]`: explains one run; by default, and for `last`, the last that was stopped. */
export async function why({ args, options }: CommandLine<"why">, host: Host): Promise<CommandResult> {
  const { context: caller } = unwrap(await createRunContext(options, host, false));
  const { session } = options;
  const isLast = args.every((word) => word === "last");
  const stopped = isLast ? lastStopped(caller, session) : null;
  const { auditFile } = caller;
  if (isLast && session === null && (auditFile === null || isEmptyLog(auditFile)))
    throw new ProblemError(await unrecorded(options, host));
  const [name = ""] = isLast ? [stopped?.runId] : args;
  if (readTime(name).ok) throw new ProblemError(timeIsNoRun(name));
  refuseShort(name);
  const found = searchRun(caller, { name, session }, host);
  const { run, shells } = found;
  const context = await contextOf(run, caller, options, host);
  const now = await hooksNow(run, context);
  const recorded = payloadOfRun(run, caller.auditFile);
  const parsed = await parseOfCall(run, recorded, context);
  if (options.json) return print(`${whyJson(found, now, parsed)}\n`, host);
  const style = await stdoutStyle(options, host);
  const nowMs = host.nowMs();
  const explained = {
    run,
    now,
    nowMs,
    shells: shells.map(({ line }) => line),
    changes: recordedChanges(recorded),
    newer: isLast ? (stopped?.newer ?? ("none stopped" as const)) : [],
    allowLine: parsed !== null && decisionOf(parsed) === "allow" ? null : allowLineOf(run, { context, caller }, host),
    isReplayable: recorded !== null && recorded.payload !== null,
    parse: parsed === null ? [] : parseLines(parsed, style),
    newDecision: parsed === null ? null : newDecision(run, decisionOf(parsed)),
    time: run.timeMs === null ? "--:--:--" : clockText(run.timeMs, nowMs, { hasSeconds: true }),
    paths: { cwd: context.scopes.projectDir, homeDir: context.scopes.homeDir },
  };
  return print(whyText(explained, style), host);
}

const timeIsNoRun = (time: string): UsageProblem => ({
  code: "USAGE_WRONG_WORDS",
  detail: `why takes the id of a run, but ${time} is a time.`,
  tryThis: `hookctl log --since ${time}`,
});

/** The decision of the guards now, if guards or no hook decided then, and differently. */
function newDecision<T extends string>({ decidedBy, decision }: LoggedRun, now: T): T | null {
  const isGuards = decidedBy === null || GUARD_NAMES.some((name) => name === decidedBy);
  return isGuards && decisionText(decision) !== now ? now : null;
}

interface Contexts {
  /** That of the run's project. */
  readonly context: RunContext;
  readonly caller: RunContext;
}

/** An agent that reads the explanation must not be told how to get around a guard. */
function allowLineOf(run: LoggedRun, { context, caller }: Contexts, host: Host): string | null {
  const { runId, decision, decidedBy } = run;
  const { settings, scopes } = context;
  const isStopped = decision === "block" || decision === "ask";
  if (!isStopped || !host.isStdoutTerminal()) return null;
  const fixed = settings.guards.find(({ name, source }) => name === decidedBy && source === "machine");
  if (fixed !== undefined) return `Only an administrator can allow it: ${fixed.name} is set in ${fixed.file}`;
  if (!mayBeAllowed(decidedBy, settings.guards)) return null;
  // The rule is written for the project of the run.
  const isHere = scopes.rootDir === caller.scopes.rootDir;
  return allowLine(runId, isHere ? "here" : `in ${displayPath(scopes.rootDir, { cwd: "", homeDir: scopes.homeDir })}`);
}

const lastStopped = ({ auditFile }: RunContext, session: string | null): LastStopped | null =>
  auditFile === null ? null : findLastStopped(auditFile, session);

/** Finds the run to explain. If several match, the newest are listed on stderr. */
export function searchRun({ auditFile }: RunContext, wanted: WantedRun, host: Host): FoundRun {
  const { name, session } = wanted;
  const search = auditFile === null ? null : findRun(auditFile, wanted);
  if (search === null) throw new ProblemError({ code: "USAGE_UNKNOWN_RUN", run: name, session });
  const { found, matches, count } = search;
  if (count === 1) return found;
  const columns = logPrinter({ width: null, style: PLAIN_STYLE, clock: logClock(host.nowMs) });
  host.err(columns(matches.toReversed()));
  throw new ProblemError({ code: "USAGE_AMBIGUOUS_RUN", run: name, count, newest: matches[0]?.runId ?? name });
}

/** The current project of the run; if it is gone or was not recorded, the one of this call. */
export async function contextOf(
  { project }: LoggedRun,
  context: RunContext,
  options: CommonOptions,
  host: Host,
): Promise<RunContext> {
  if (project === null || project === context.scopes.projectDir || !isFolder(project)) return context;
  const started = await createRunContext({ ...options, directory: project }, host, false);
  return started.ok ? started.value.context : context;
}

function whyJson(
  { run, text, shells }: FoundRun,
  now: ReadonlyMap<LoggedHook, HookNow>,
  parsed: ExplainedCommand | null,
): string {
  const hooks = run.hooks.map((hook): JsonRecord => {
    const since = now.get(hook);
    if (since === undefined) return { name: hook.name, now: null };
    const approvedAt = since.approvedMs === null ? null : new Date(since.approvedMs).toISOString();
    return { name: hook.name, now: since.state, hash: since.hash, approved_at: approvedAt, sandbox: since.sandbox };
  });
  const shell = shells.map((one) => rawJson(one.text));
  const explain = parsed === null ? undefined : rawJson(explainJson(parsed));
  return printableJson({ schema: "hookctl.why/1", run: rawJson(text), shell, hooks, explain });
}

/** The present state of the hooks of a run. Nothing is started. Hooks without a file are omitted. */
async function hooksNow(run: LoggedRun, context: RunContext): Promise<ReadonlyMap<LoggedHook, HookNow>> {
  const { hooks } = await resolveHooks(findAllCandidates(context), context, null);
  const examined = run.hooks.filter((hook) => isAbsolute(hook.path) && (hasRun(hook) || hook.outcome === "refused"));
  return new Map(examined.map((hook) => [hook, hookNow(hook, hooks, context)]));
}

function hookNow(then: LoggedHook, hooks: readonly Hook[], context: RunContext): HookNow {
  const now = hooks.find(({ name, path }) => name === then.name && path === then.path);
  const approvedMs = approvalTime(then, context);
  // An entry of a settings file has the path of that file: `hooks.json#hooks[0]`.
  const isGone = isSurelyMissing(then.path.replace(/#[^/]*$/, ""));
  if (isGone || now === undefined) return { state: isGone ? "gone" : "absent", hash: null, approvedMs, sandbox: null };
  const { trust, hash, disabledReason } = now;
  const sandbox = now.sandbox === undefined ? null : sandboxText(now.sandbox);
  const known = { hash, approvedMs, sandbox };
  if (trust !== "trusted") return { ...known, state: trust };
  if (disabledReason !== null) return { ...known, state: "off", reason: disabledReason };
  const isSame = then.hash === null || hash === null || then.hash === hash;
  return { ...known, state: isSame ? "trusted" : "replaced" };
}

function approvalTime({ path, name }: LoggedHook, { trustStore }: RunContext): number | null {
  const stored = trustStore.approvals();
  const approvals = stored.ok ? Object.values(stored.value.approved).filter((one) => one.path === path) : [];
  const approval = approvals.find((one) => one.name === name) ?? approvals[0];
  const ms = Date.parse(approval?.approvedAt ?? "");
  return Number.isNaN(ms) ? null : ms;
}

/** The payload of a run, if it was recorded. Both logs are in the order of time, so the search ends before older runs. */
export function payloadOfRun({ runId, timeMs }: LoggedRun, auditFile: string | null): RecordedPayload | null {
  for (const recorded of auditFile === null ? [] : readPayloads(auditFile)) {
    if (recorded.runId === runId) return recorded;
    if (timeMs !== null && Date.parse(recorded.time) < timeMs - LONGEST_RUN_MS) return null;
  }
  return null;
}

/** The changed fields of a recorded payload, before and after. */
function recordedChanges(recorded: RecordedPayload | null): readonly FieldChange[] {
  const event = findEvent(recorded?.event ?? "")?.event;
  if (recorded?.payload == null || recorded.change === null || event === undefined) return [];
  const sent = { event, session: "", cwd: recorded.cwd, members: membersOf(recorded.payload) };
  return changedFields({ event, sent, change: recorded.change.raw }, (text) => text);
}

/** Returns the guards' parse of the recorded call, or null if it has no command or its command was not recorded. */
async function parseOfCall(
  run: LoggedRun,
  recorded: RecordedPayload | null,
  context: RunContext,
): Promise<ExplainedCommand | null> {
  if (run.event !== "before_tool_call" && run.event !== "permission_request") return null;
  return recorded?.payload ? parseOfPayload(recorded, context) : parseOfSummary(run, context);
}

async function parseOfPayload({ payload, cwd }: RecordedPayload, context: RunContext) {
  if (payload === null) return null;
  const { readToolCall } = await import("../../../guards/tool-call.ts");
  const call = readToolCall(membersOf(payload));
  if (call.commands.length === 0) return null;
  const { explainedCall } = await import("../../../connect/commands/guards/explain.ts");
  return { text: call.commands.join("\n"), ...(await explainedCall(call, context, cwd)) };
}

/**
 * The summary is one line without secrets and may differ from the call: its parse is used only if the guards' findings
 * are the recorded ones.
 */
async function parseOfSummary({ call, hooks }: LoggedRun, context: RunContext): Promise<ExplainedCommand | null> {
  const found = hooks.map(({ metadata }) => metadata).filter((metadata) => typeof metadata?.rule === "string");
  if (call === null || found.length === 0) return null;
  const { explainedCall } = await import("../../../connect/commands/guards/explain.ts");
  const toolCall = { commands: [call], folder: null, files: [] };
  const explained = await explainedCall(toolCall, context, context.scopes.projectDir);
  const judged = explained.guards.flatMap((guard) =>
    guard.judged.map(({ finding }) => ({ guard: guard.name, finding })),
  );
  const isFoundAgain = found.some((then) =>
    judged.some((now) => now.guard === then?.guard && now.finding.rule === then.rule && now.finding.part === then.part),
  );
  return isFoundAgain ? { text: call, ...explained } : null;
}
