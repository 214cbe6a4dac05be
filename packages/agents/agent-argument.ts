import { AGENT_NAMES, type AgentName } from "../../src/protocol/agent-names.ts";
import type { UsageProblem } from "../../src/protocol/problem.ts";
import { fail, ok, type Result } from "../../src/protocol/result.ts";
import { nearest } from "../../src/protocol/text/nearest.ts";

export interface AgentWords {
  readonly command: string;
  readonly args: readonly string[];
  /** What the proposed command ends with. */
  readonly ending?: string;
}

/** The agent that a command is for: its only argument. */
export function readAgent(
  { command, args: [word], ending = "" }: AgentWords,
  agents: readonly AgentName[] = AGENT_NAMES,
): Result<AgentName, UsageProblem> {
  const agent = agents.find((name) => name === word);
  if (agent !== undefined) return ok(agent);
  const near = word === undefined ? null : nearest(word, agents);
  const found =
    word === undefined ? `${command}: missing argument AGENT` : `${command}: unknown agent ${JSON.stringify(word)}`;
  const detail = `${found}: ${agents.join(", ")}.`;
  return fail({ code: "USAGE_WRONG_WORDS", detail, tryThis: `hookctl ${command} ${near ?? AGENT_NAMES[0]}${ending}` });
}
