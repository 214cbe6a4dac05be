import type { CommandLine, OptionsOf } from "../../../src/cli/command-table.ts";
import { skippedByVariable } from "../../../src/engine/hooks/select-hooks.ts";
import type { Host } from "../../../src/engine/host.ts";
import { areHooksDisabled } from "../../../src/engine/run-context.ts";
import type { UsageProblem } from "../../../src/protocol/problem.ts";
import { fail, ok, type Result } from "../../../src/protocol/result.ts";
import type { Agent } from "../../agents/agent.ts";
import { readAgent } from "../../agents/agent-argument.ts";
import { loadAgent } from "../../agents/load-agent.ts";

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
