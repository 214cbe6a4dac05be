import { AGENT_NAMES, type AgentName } from "../agents/agent.ts";
import { nearest } from "../protocol/nearest.ts";
import type { UsageProblem } from "../protocol/problem.ts";
import { fail, ok, type Result } from "../protocol/result.ts";
import { type CommonOptions, readCommonOptions, textOption } from "./common-options.ts";
import type { CommandLine } from "./option-table.ts";

export interface BridgeOptions extends CommonOptions {
  readonly agent: AgentName;
  /** The agent's own name of the event; null: the payload names it. */
  readonly nativeEvent: string | null;
  /** What cannot be answered denies where it can. */
  readonly failClosed: boolean;
}

export function readBridgeOptions(line: CommandLine): Result<BridgeOptions, UsageProblem> {
  const options = readCommonOptions(line);
  if (!options.ok) return options;
  const agent = readAgent(line);
  if (!agent.ok) return agent;
  const nativeEvent = textOption(line.options, "--event");
  if (nativeEvent === null && agent.value === "copilot") {
    const detail = "copilot does not name its events, so bridge needs --event.";
    return fail({ code: "USAGE_WRONG_WORDS", detail, tryThis: "hookctl bridge copilot --event preToolUse" });
  }
  return ok({ ...options.value, agent: agent.value, nativeEvent, failClosed: line.options["--fail-closed"] === true });
}

/** The agent that a verb is for: its only word. */
export function readAgent(
  { command, args }: CommandLine,
  agents: readonly AgentName[] = AGENT_NAMES,
): Result<AgentName, UsageProblem> {
  const [word, more] = args;
  const agent = agents.find((name) => name === word);
  if (agent !== undefined && more === undefined) return ok(agent);
  const near = word === undefined ? null : nearest(word, agents);
  const found = word === undefined ? `${command} needs an agent` : `${command} knows no agent ${JSON.stringify(word)}`;
  const detail = `${agent === undefined ? found : `${command} takes one agent`}: ${agents.join(", ")}.`;
  return fail({ code: "USAGE_WRONG_WORDS", detail, tryThis: `hookctl ${command} ${near ?? "claude"}` });
}
