import type { Host } from "../../../src/engine/host.ts";
import { ancestorsOf } from "../../../src/process/process-table.ts";
import type { GuardName } from "../../../src/protocol/guard-settings.ts";
import type { RunRecord } from "../../../src/protocol/run-record.ts";
import { agentOfCommandLine } from "../../agents/agent-processes.ts";
import { whyUnanswered } from "../../agents/unanswered-asks.ts";
import type { AgentCall } from "./agent-call.ts";

const OWN_PROTECTION: GuardName = "self-protection";

/** The runs of a call. A question where no person can answer is a block, and is recorded as a block. */
export async function withAnswerableAsks(
  records: readonly RunRecord[],
  { agent, native, row }: AgentCall,
  { env, processId, readProcesses }: Host,
): Promise<readonly RunRecord[]> {
  const { ask, deny, halt } = row.answers;
  if (ask === undefined && deny === undefined && halt === undefined) return records;
  if (ask === undefined) return records.map((record) => blockedIfAsked(record, `${agent.title} cannot ask here`));
  const above = ancestorsOf(processId, await readProcesses());
  const agentProcess = above.find(({ args }) => agentOfCommandLine(args) === agent.title) ?? null;
  return records.map((record) => {
    const why = whyUnanswered({ agent, native, env, agentProcess, isOwnProtection: asks(record, OWN_PROTECTION) });
    return why === null ? record : blockedIfAsked(record, why, ASKING_MODE);
  });
}

/** True if this hook asked, also if another hook decided the wording. */
const asks = ({ verdict }: RunRecord, hook: string): boolean =>
  verdict.decidedBy === hook ||
  verdict.steps.some(
    (step) =>
      step.hook.name === hook && step.result?.response.ok === true && step.result.response.value?.decision === "ask",
  );

const ASKING_MODE = ", or start the agent in a terminal in a mode that asks";

/** A question becomes a block, whose reason says why nobody is asked. */
function blockedIfAsked(record: RunRecord, why: string, remedy = ""): RunRecord {
  const { verdict } = record;
  if (verdict.decision !== "ask") return record;
  const asked = verdict.reason?.replace(/[^.!?]$/, "$&.") ?? "";
  const reason = `${asked}${asked && " "}A person has to confirm this call, but ${why}. Let the person run it${remedy}.`;
  return { ...record, verdict: { ...verdict, decision: "block", change: null, reason } };
}
