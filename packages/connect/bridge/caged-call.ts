import { textAt } from "../../../src/dialects/field-paths.ts";
import type { RunContext } from "../../../src/engine/run-context.ts";
import type { Payload } from "../../../src/protocol/payload/payload.ts";
import type { Problem } from "../../../src/protocol/problem.ts";
import type { AgentCall } from "./agent-call.ts";

/** What the cage has to say about a call. */
export interface CageNote {
  readonly problem: Problem | null;
  /** Read by the model after the call. */
  readonly context: string | null;
}

const NOTHING: CageNote = { problem: null, context: null };

/** Prepares the cage before a shell call, and checks after the call that it ran inside. */
export async function cageNote(call: AgentCall, context: RunContext, processId: number): Promise<CageNote> {
  const [payload] = call.payloads;
  if (call.agent.cage === undefined || !isShellCall(payload) || !hasCage(context)) return NOTHING;
  const { afterShellCall, beforeShellCall, refusedPaths } = await import("../../cage/index.ts");
  const own = { processId, shellVariable: call.agent.cage.shellVariable ?? null, context };
  if (payload.event === "before_tool_call") return { ...NOTHING, problem: await beforeShellCall(own) };
  const undone = afterShellCall(own);
  const refused = refusedPaths(payload.members.get("tool_output")?.raw ?? "");
  const texts = [
    ...(undone.length === 0 ? [] : [undoneText(undone)]),
    ...(refused.length === 0 ? [] : [refusalText(refused)]),
  ];
  return texts.length === 0 ? NOTHING : { ...NOTHING, context: texts.join("\n") };
}

const isShellCall = ({ event, members }: Payload): boolean =>
  (event === "before_tool_call" || event === "after_tool_call") &&
  (textAt(members, "tool_kind") === "shell" || textAt(members, "tool_name") === "bash");

const hasCage = ({ plan, machine }: RunContext): boolean =>
  machine?.settingsFile?.data.cage !== undefined ||
  plan.files.some(({ data }) => data.cage !== undefined || Object.values(data.projects ?? {}).some(({ cage }) => cage));

const undoneText = (undone: readonly string[]): string =>
  `hookctl's cage: ${undone.join("; ")}, because it would start programs outside the cage. Only the person can add it.`;

const refusalText = (paths: readonly string[]): string =>
  `hookctl's cage refused to write ${paths.join(", ")}: shell calls may write the project, temporary files and caches. Only the person can allow more: hookctl cage allow ${paths[0] ?? "PATH"} --here`;
