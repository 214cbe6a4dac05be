import { newRunId } from "../audit/run-id.ts";
import { startChain, verdictOf } from "../chain/advance.ts";
import { DIALECTS } from "../dialects/dialects.ts";
import type { HookSet } from "../engine/hooks/resolve-hooks.ts";
import { unknownHookOption } from "../engine/hooks/unknown-hook-option.ts";
import { appendRun } from "../engine/run/append-run.ts";
import { runEvent } from "../engine/run/run-event.ts";
import { makeRunRecord } from "../engine/run/run-record.ts";
import type { RunContext } from "../engine/run-context.ts";
import type { EffectiveSettings } from "../engine/settings/effective-settings.ts";
import { EXIT, signalExitCode } from "../protocol/exit-code.ts";
import { type JsonOut, type JsonRecord, writeJson } from "../protocol/json/write.ts";
import type { Payload } from "../protocol/payload.ts";
import type { Problem } from "../protocol/problem.ts";
import type { RunRecord } from "../protocol/run-record.ts";
import type { Warning } from "../protocol/warning.ts";
import { warningText } from "../protocol/warning.ts";
import { problemText, warningLine } from "../report/problem-text.ts";
import { runJson } from "../report/run-json.ts";
import { runText } from "../report/run-text.ts";
import { PLAIN_STYLE, type Style } from "../report/style.ts";
import { verboseText } from "../report/verbose-text.ts";
import type { World } from "../world.ts";
import type { RunFlags } from "./run-flags.ts";
import { refuse } from "./start.ts";
import { storyStyleFor } from "./style-for.ts";

export interface RunInput {
  readonly payload: Payload;
  readonly hookSet: HookSet;
  readonly context: RunContext;
  readonly loaded: EffectiveSettings;
  readonly flags: RunFlags;
  readonly world: World;
  /** What stderr tells of the run; by default where the time went, who changed what, and the decision. */
  readonly story?: (record: RunRecord, style: Style) => string;
}

/** The second half of `run`: the hooks are asked, the run is recorded and told. */
export async function runHooks(input: RunInput): Promise<number> {
  const { payload, hookSet, context, loaded, flags, world } = input;
  const unknown = unknownHookOption(flags, hookSet);
  if (unknown !== null) return refuse(unknown, world);
  const record = await runEvent(payload, hookSet, context, loaded.warnings);
  const answered = flags.ask && record.decision === "ask" ? await askPerson(record, world) : record;
  const told = appendRun(answered, context);
  const signal = world.interrupt.raised();
  if (signal !== null) return signalExitCode(signal);
  if (loaded.problem !== null) world.err(problemText(loaded.problem, PLAIN_STYLE));
  for (const notice of hookSet.notices) if (!flags.quiet) world.err(warningLine(warningText(notice), PLAIN_STYLE));
  return tell(told, { flags, world, unusable: loaded.problem, story: input.story ?? runText });
}

/** A hook wants the person asked, and `--ask` says that there may be one. */
async function askPerson(record: RunRecord, world: World): Promise<RunRecord> {
  return (await import("./trust/approve-before-run.ts")).confirmCall(record, world);
}

/** The record of a run in which nothing was asked. */
export function tellNothing(payload: Payload, flags: RunFlags, world: World): Promise<number> {
  const runId = newRunId(world.nowMs(), world.random);
  // An option is seen where it was typed; a variable may have been set by somebody else.
  const warnings: readonly Warning[] = flags.noHooks ? [] : [{ code: "HOOKS_OFF" }];
  const record = makeRunRecord({
    verdict: verdictOf({ ...startChain(payload), warnings }),
    runId,
    durationMs: 0,
    redact: (same) => same,
  });
  return tell(record, { flags, world, unusable: null, story: runText });
}

interface Telling extends Required<Pick<RunInput, "flags" | "world" | "story">> {
  /** The settings cannot be used, which the exit code tells unless a hook blocked. */
  readonly unusable: Problem | null;
}

async function tell(record: RunRecord, { flags, world, unusable, story }: Telling): Promise<number> {
  if (!flags.quiet) world.err(story(record, await storyStyleFor(flags, world)) + verboseText(record, flags.verbosity));
  const result = resultOf(record, flags);
  const lost = world.out(`${flags.json ? runJson(record, result) : writeJson(result)}\n`);
  // A block is a block even when nobody hears it: the exit code still stops the caller.
  if (record.decision !== "continue") return EXIT.blocked;
  if (lost !== null) return refuse({ code: "OUTPUT_LOST", cause: lost }, world);
  return unusable === null ? EXIT.goOn : EXIT.badConfig;
}

function resultOf(record: RunRecord, flags: RunFlags): JsonOut {
  const result = DIALECTS[flags.as].verdictOut(record.verdict);
  const isBlockedTool = record.event === "before_tool_call" && record.decision === "block" && flags.as === "kodelet";
  if (!isBlockedTool || flags.verbosity === 0 || typeof result !== "object" || result === null) return result;
  return { ...(result as JsonRecord), blocked_result: blockedResult(record) };
}

/** The tool result that kodelet would hand to the model in place of the blocked tool's own. */
function blockedResult({ reason, verdict }: RunRecord): JsonRecord {
  const toolName = verdict.payload.members.get("tool_name");
  return {
    success: false,
    error: `blocked by hook: ${reason ?? ""}`,
    metadata: { tool_name: toolName === undefined ? null : JSON.parse(toolName.raw), reason },
  };
}
