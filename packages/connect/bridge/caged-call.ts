import { textAt } from "../../../src/dialects/field-paths.ts";
import type { RunContext } from "../../../src/engine/run-context.ts";
import type { Payload } from "../../../src/protocol/payload/payload.ts";
import type { CageNote } from "../../cage/agent-calls.ts";
import type { AgentCall } from "./agent-call.ts";

const NOTHING: CageNote = { problem: null, warnings: [], context: null };

/** Prepares the cage before a shell call and checks after it; a tool that uses files itself is judged by the same places. */
export async function cageNote(call: AgentCall, context: RunContext, processId: number): Promise<CageNote> {
  const [payload] = call.payloads;
  const { cage } = call.agent;
  const isBefore = payload.event === "before_tool_call";
  const isShell = isShellCall(payload);
  const concerns = isShell ? cage !== undefined && (isBefore || payload.event === "after_tool_call") : isBefore;
  if (!concerns || !hasCage(context)) return NOTHING;
  const { shellVariable = null, shellArgument = null } = cage ?? {};
  const transcript = textAt(call.native, "transcript_path");
  const named =
    shellArgument === null ? null : { transcript, id: textAt(call.native, "tool_use_id"), argument: shellArgument };
  const own = { processId, payload, shellVariable, named, context };
  // Shell calls load no parser.
  if (!isShell) return (await import("../../cage/file-calls.ts")).beforeFileCall(own, cage !== undefined);
  const { afterShellCall, beforeShellCall } = await import("../../cage/agent-calls.ts");
  return isBefore ? beforeShellCall(own) : afterShellCall(own);
}

const isShellCall = ({ members }: Payload): boolean =>
  textAt(members, "tool_kind") === "shell" || textAt(members, "tool_name") === "bash";

/** True if settings name a cage, which may be off. Cheap: each call asks. */
export const hasCage = ({ plan, machine }: Pick<RunContext, "plan" | "machine">): boolean =>
  machine?.settingsFile?.data.cage !== undefined ||
  plan.files.some(({ data }) => data.cage !== undefined || Object.values(data.projects ?? {}).some(({ cage }) => cage));
