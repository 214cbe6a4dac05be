import type { RecordedPayload } from "../../audit/payload-log.ts";
import type { RunContext } from "../../engine/run-context.ts";
import { membersOf } from "../../protocol/json/read.ts";
import type { LoggedRun } from "../../protocol/logged-run.ts";
import type { ExplainedCommand } from "../../report/explain-text.ts";

/** What today's guards read in the recorded call. Null: it has no command, or the record does not tell what was judged. */
export async function parseOfCall(
  run: LoggedRun,
  recorded: RecordedPayload | null,
  context: RunContext,
): Promise<ExplainedCommand | null> {
  if (run.event !== "before_tool_call" && run.event !== "permission_request") return null;
  return recorded?.payload ? parseOfPayload(recorded, context) : parseOfSummary(run, context);
}

async function parseOfPayload(
  { payload, cwd }: RecordedPayload,
  context: RunContext,
): Promise<ExplainedCommand | null> {
  if (payload === null) return null;
  const { readToolCall } = await import("../../guards/tool-call.ts");
  const call = readToolCall(membersOf(payload));
  if (call.commands.length === 0) return null;
  const { explainedCall } = await import("../guards/explain.ts");
  return { text: call.commands.join("\n"), ...explainedCall(call, context, cwd) };
}

/**
 * The summary is one line without secrets, which may differ from the call itself: it counts if today's guards find in it
 * what was found then.
 */
async function parseOfSummary({ call, hooks }: LoggedRun, context: RunContext): Promise<ExplainedCommand | null> {
  const found = hooks.map(({ metadata }) => metadata).filter((metadata) => typeof metadata?.rule === "string");
  if (call === null || found.length === 0) return null;
  const { explainedCall } = await import("../guards/explain.ts");
  const toolCall = { commands: [call], folder: null, files: [] };
  const explained = explainedCall(toolCall, context, context.scopes.projectDir);
  const judged = explained.guards.flatMap((guard) =>
    guard.judged.map(({ finding }) => ({ guard: guard.name, finding })),
  );
  const isFoundAgain = found.some((then) =>
    judged.some((now) => now.guard === then?.guard && now.finding.rule === then.rule && now.finding.part === then.part),
  );
  return isFoundAgain ? { text: call, ...explained } : null;
}
