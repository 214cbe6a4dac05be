import { newRunId } from "../../audit/run-stamp.ts";
import { startChain, verdictOf } from "../../chain/advance.ts";
import type { CommandResult } from "../../cli/command-result.ts";
import { stderrStyle } from "../../cli/stream-style.ts";
import { DIALECTS } from "../../dialects/dialects.ts";
import type { HookSet } from "../../engine/hooks/resolve-hooks.ts";
import { unknownHookOption } from "../../engine/hooks/select-hooks.ts";
import type { Host } from "../../engine/host.ts";
import { orderedHooks, runEvent } from "../../engine/run/run-event.ts";
import { appendRun, explainableId, makeRunRecord } from "../../engine/run/run-record.ts";
import type { RunContext } from "../../engine/run-context.ts";
import type { EffectiveSettings } from "../../engine/settings/effective-settings.ts";
import { unusedDigest } from "../../engine/trust-statuses.ts";
import { EXIT, exitCodeOf, signalExitCode } from "../../protocol/exit-code.ts";
import type { EffectiveGuard } from "../../protocol/guard-settings.ts";
import { type JsonRecord, type JsonValue, printableJson } from "../../protocol/json/write.ts";
import type { Payload } from "../../protocol/payload/payload.ts";
import type { Problem } from "../../protocol/problem.ts";
import { fail, ok } from "../../protocol/result.ts";
import type { RunRecord } from "../../protocol/run-record.ts";
import { type Warning, warningText } from "../../protocol/warning.ts";
import { problemText, warningLine } from "../../report/problem-text.ts";
import { allowLine, mayBeAllowed } from "../../report/run/allow-line.ts";
import { runJson } from "../../report/run/run-json.ts";
import { runText, verboseText } from "../../report/run/run-text.ts";
import { PLAIN_STYLE, type Style } from "../../report/text-style.ts";
import type { RunCommandOptions } from "./run-options.ts";

/** One call of `run`. */
export interface RunCall {
  readonly payload: Payload;
  readonly context: RunContext;
  readonly loaded: EffectiveSettings;
  readonly options: RunCommandOptions;
  readonly host: Host;
}

export interface RunInput extends RunCall {
  readonly hookSet: HookSet;
  /** The report on stderr; by default the duration, result and changes of each hook, and the decision. */
  readonly report?: (record: RunRecord, style: Style) => string;
}

/** The second half of `run`: invokes the hooks, writes the audit log and prints the result. */
export async function runHooks(input: RunInput): Promise<CommandResult> {
  const { payload, hookSet, context, loaded, options, host } = input;
  const unknown = unknownHookOption(options, hookSet);
  if (unknown !== null) return fail(unknown);
  const record = await runEvent(payload, hookSet, context, loaded.warnings);
  const answered = options.ask && record.verdict.decision === "ask" ? await askPerson(record, host) : record;
  const recorded = appendRun(answered, context);
  const signal = host.interrupt.raised();
  if (signal !== null) return ok(signalExitCode(signal));
  const unusable = loaded.problem ?? unusedDigest(hookSet.warnings, context, false);
  if (unusable !== null) host.err(problemText(unusable, PLAIN_STYLE));
  for (const notice of hookSet.notices) if (!options.quiet) host.err(warningLine(warningText(notice), PLAIN_STYLE));
  const runId = explainableId(answered, recorded, context);
  const { guards } = context.settings;
  const ended = await reportRun(recorded, { options, host, runId, unusable, guards, report: input.report ?? runText });
  if (!options.isStrict) return ended;
  const { endStrictly } = await import("./strict.ts");
  const hooks = orderedHooks(payload.event, hookSet, context);
  const warnings = [...loaded.warnings, ...hookSet.warnings];
  return endStrictly({ hooks, skipped: hookSet.skipped, warnings, isOff: options.isOff, choice: options }, ended, host);
}

/** With `--ask`, an `ask` decision is put to the person at the terminal. */
async function askPerson(record: RunRecord, host: Host): Promise<RunRecord> {
  return (await import("../trust/approve-before-run.ts")).confirmCall(record, host);
}

/** Prints the result of a run without hooks. */
export async function reportNoHooksRun(
  payload: Payload,
  options: RunCommandOptions,
  host: Host,
): Promise<CommandResult> {
  const runId = newRunId(host.nowMs(), host.random);
  // The user typed the option; the variable may have been set elsewhere, so it is reported.
  const warnings: readonly Warning[] = options.noHooks ? [] : [{ code: "HOOKS_OFF" }];
  const record = makeRunRecord({
    verdict: verdictOf({ ...startChain(payload), warnings }),
    runId,
    durationMs: 0,
    redact: (same) => same,
  });
  const ended = await reportRun(record, { options, host, runId: null, unusable: null, guards: [], report: runText });
  if (!options.isStrict) return ended;
  const { endStrictly } = await import("./strict.ts");
  return endStrictly({ hooks: [], skipped: [], warnings: [], isOff: true, choice: options }, ended, host);
}

interface ReportInput extends Required<Pick<RunInput, "options" | "host" | "report">> {
  /** Settings or approvals that cannot be used decide the exit code, unless a hook blocked. */
  readonly unusable: Problem | null;
  /** The id for `hookctl why`; null if the run is not recorded. */
  readonly runId: string | null;
  readonly guards: readonly EffectiveGuard[];
}

async function reportRun(record: RunRecord, input: ReportInput): Promise<CommandResult> {
  const { options, host, unusable, report, runId, guards } = input;
  if (!options.quiet)
    host.err(report(record, await stderrStyle(options, host)) + verboseText(record, options.verbosity));
  const { decision, decidedBy } = record.verdict;
  if (!options.quiet && runId !== null && decision !== "continue" && host.isStderrTerminal())
    host.err(`  Explain it: hookctl why ${runId}\n${mayBeAllowed(decidedBy, guards) ? `  ${allowLine(runId)}\n` : ""}`);
  const result = resultOf(record, options);
  const writeError = host.out(`${options.json ? runJson(record, result) : printableJson(result)}\n`);
  // A block that cannot be printed still blocks by its exit code.
  if (decision !== "continue") return ok(EXIT.blocked);
  if (writeError !== null) return fail({ code: "OUTPUT_LOST", cause: writeError, isDecision: true });
  return ok(unusable === null ? EXIT.ok : exitCodeOf(unusable));
}

function resultOf(record: RunRecord, options: RunCommandOptions): JsonValue {
  const result = DIALECTS[options.as].formatVerdict(record.verdict);
  const isBlockedTool =
    record.verdict.event === "before_tool_call" && record.verdict.decision === "block" && options.as === "kodelet";
  if (!isBlockedTool || options.verbosity === 0 || typeof result !== "object" || result === null) return result;
  return { ...(result as JsonRecord), blocked_result: blockedResult(record) };
}

/** The tool result that kodelet gives to the model instead of the blocked tool's. */
function blockedResult({ verdict }: RunRecord): JsonRecord {
  const { reason } = verdict;
  const toolName = verdict.payload.members.get("tool_name");
  return {
    success: false,
    error: `blocked by hook: ${reason ?? ""}`,
    metadata: { tool_name: toolName === undefined ? null : JSON.parse(toolName.raw), reason },
  };
}
