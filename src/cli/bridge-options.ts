import type { Agent } from "../agents/agent.ts";
import { loadAgent } from "../agents/load-agent.ts";
import { skippedByVariable } from "../engine/hooks/paused-hooks.ts";
import { areHooksDisabled } from "../engine/run-context.ts";
import type { Host } from "../host.ts";
import { AGENT_NAMES, type AgentName } from "../protocol/agent-names.ts";
import type { UsageProblem } from "../protocol/problem.ts";
import { fail, ok, type Result } from "../protocol/result.ts";
import { nearest } from "../protocol/text/nearest.ts";
import type { CommandLine, OptionsOf } from "./command-table.ts";

export interface BridgeOptions extends OptionsOf<"bridge"> {
  readonly agent: Agent;
  /** Variables that would switch hooks off, and have no effect here. */
  readonly ignoredVariables: readonly string[];
}

export async function readBridgeOptions(
  line: CommandLine<"bridge">,
  env: Host["env"],
): Promise<Result<BridgeOptions, UsageProblem>> {
  const name = readAgent(line);
  if (!name.ok) return name;
  const agent = await loadAgent(name.value);
  if (line.options.nativeEvent === null && agent.omitsEventName === true) {
    const detail = `bridge: missing --event: ${agent.name} payloads do not name their event.`;
    return fail({
      code: "USAGE_WRONG_WORDS",
      detail,
      tryThis: `hookctl bridge ${agent.name} --event ${agent.sampleShellCall.event}`,
    });
  }
  const ignoredVariables = [
    ...(areHooksDisabled(env) ? ["HOOKCTL_NO_HOOKS"] : []),
    ...(skippedByVariable(env).length > 0 ? ["HOOKCTL_SKIP"] : []),
    ...(env.HOOKCTL_TRUST ? ["HOOKCTL_TRUST"] : []),
  ];
  return ok({ ...line.options, agent, ignoredVariables });
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
