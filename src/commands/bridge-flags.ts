import { AGENT_NAMES, type AgentName } from "../agents/agent.ts";
import { nearest } from "../protocol/nearest.ts";
import type { UsageProblem } from "../protocol/problem.ts";
import { fail, ok, type Result } from "../protocol/result.ts";
import type { RawLine } from "./flag-table.ts";
import { type Flags, readFlags, textFlag } from "./flags.ts";

export interface BridgeFlags extends Flags {
  readonly agent: AgentName;
  /** The agent's own name of the event; null: the payload names it. */
  readonly nativeEvent: string | null;
  /** What cannot be answered denies where it can. */
  readonly failClosed: boolean;
}

export function readBridgeFlags(line: RawLine): Result<BridgeFlags, UsageProblem> {
  const flags = readFlags(line);
  if (!flags.ok) return flags;
  const agent = readAgent(line);
  if (!agent.ok) return agent;
  const nativeEvent = textFlag(line.flags, "--event");
  if (nativeEvent === null && agent.value === "copilot") {
    const detail = "copilot does not name its events, so bridge needs --event.";
    return fail({ code: "USAGE_WRONG_WORDS", detail, tryThis: "hookctl bridge copilot --event preToolUse" });
  }
  return ok({ ...flags.value, agent: agent.value, nativeEvent, failClosed: line.flags["--fail-closed"] === true });
}

/** The agent that a verb is for: its only word. */
export function readAgent(
  { verb, words }: RawLine,
  agents: readonly AgentName[] = AGENT_NAMES,
): Result<AgentName, UsageProblem> {
  const [word, more] = words;
  const agent = agents.find((name) => name === word);
  if (agent !== undefined && more === undefined) return ok(agent);
  const near = word === undefined ? null : nearest(word, agents);
  const found = word === undefined ? `${verb} needs an agent` : `${verb} knows no agent ${JSON.stringify(word)}`;
  const detail = `${agent === undefined ? found : `${verb} takes one agent`}: ${agents.join(", ")}.`;
  return fail({ code: "USAGE_WRONG_WORDS", detail, tryThis: `hookctl ${verb} ${near ?? "claude"}` });
}
