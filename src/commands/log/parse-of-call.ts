import type { RunContext } from "../../engine/run-context.ts";
import type { LoggedRun } from "../../protocol/logged-run.ts";
import type { ExplainedCommand } from "../../report/explain-text.ts";

/**
 * What the guards read in the recorded call. It is one line without secrets, which may differ from the call itself: it
 * counts if today's guards find in it what was found then. Null: nothing was found, or the call cannot be told.
 */
export async function parseOfCall({ call, hooks }: LoggedRun, context: RunContext): Promise<ExplainedCommand | null> {
  const found = hooks.map(({ metadata }) => metadata).filter((metadata) => typeof metadata?.rule === "string");
  if (call === null || found.length === 0) return null;
  const { explainedCommand } = await import("../guards/explain.ts");
  const explained = explainedCommand(call, context, context.scopes.projectDir);
  const judged = explained.guards.flatMap((guard) =>
    guard.judged.map(({ finding }) => ({ guard: guard.name, finding })),
  );
  const isFoundAgain = found.some((then) =>
    judged.some((now) => now.guard === then?.guard && now.finding.rule === then.rule && now.finding.part === then.part),
  );
  return isFoundAgain ? explained : null;
}
