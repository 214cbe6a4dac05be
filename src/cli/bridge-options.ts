import { AGENT_NAMES, type AgentName } from "../agents/agent.ts";
import { AGENTS } from "../agents/agents.ts";
import { skippedByVariable } from "../engine/hooks/paused-hooks.ts";
import { areHooksDisabled } from "../engine/run-context.ts";
import type { Host } from "../host.ts";
import type { UsageProblem } from "../protocol/problem.ts";
import { fail, ok, type Result } from "../protocol/result.ts";
import { nearest } from "../protocol/text/nearest.ts";
import type { CommandLine, OptionsOf } from "./command-table.ts";

export interface BridgeOptions extends OptionsOf<"bridge"> {
  readonly agent: AgentName;
  /** Variables that would switch hooks off, and have no effect here. */
  readonly ignoredVariables: readonly string[];
}

export function readBridgeOptions(line: CommandLine<"bridge">, env: Host["env"]): Result<BridgeOptions, UsageProblem> {
  const agent = readAgent(line);
  if (!agent.ok) return agent;
  if (line.options.nativeEvent === null && AGENTS[agent.value].omitsEventName === true) {
    const detail = `bridge: missing --event: ${agent.value} payloads do not name their event.`;
    return fail({
      code: "USAGE_WRONG_WORDS",
      detail,
      tryThis: `hookctl bridge ${agent.value} --event ${AGENTS[agent.value].sampleShellCall.event}`,
    });
  }
  const ignoredVariables = [
    ...(areHooksDisabled(env) ? ["HOOKCTL_NO_HOOKS"] : []),
    ...(skippedByVariable(env).length > 0 ? ["HOOKCTL_SKIP"] : []),
  ];
  return ok({ ...line.options, agent: agent.value, ignoredVariables });
}

/** The agent that a command is for: its only argument. */
export function readAgent(
  { command, args: [word] }: Pick<CommandLine, "command" | "args">,
  agents: readonly AgentName[] = AGENT_NAMES,
): Result<AgentName, UsageProblem> {
  const agent = agents.find((name) => name === word);
  if (agent !== undefined) return ok(agent);
  const near = word === undefined ? null : nearest(word, agents);
  const found =
    word === undefined ? `${command}: missing argument AGENT` : `${command}: unknown agent ${JSON.stringify(word)}`;
  const detail = `${found}: ${agents.join(", ")}.`;
  return fail({ code: "USAGE_WRONG_WORDS", detail, tryThis: `hookctl ${command} ${near ?? AGENT_NAMES[0]}` });
}
