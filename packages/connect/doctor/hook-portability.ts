import type { AgentName } from "../../../src/protocol/agent-names.ts";
import { type Checkup, doubtful } from "../../../src/protocol/doctor-check.ts";
import type { Hook } from "../../../src/protocol/hook.ts";
import type { ListedPortability } from "../../../src/report/list-json.ts";
import { knownTools } from "../../agents/match-coverage.ts";
import { portabilityOf } from "../../agents/portability.ts";
import { hookTexts } from "../../testing/checks/hook-texts.ts";

/** Why hooks do not work with the agents that call hookctl here, by the path of the hook. */
export async function listedPortability(
  hooks: readonly Hook[],
  connected: readonly AgentName[],
): Promise<ReadonlyMap<string, ListedPortability>> {
  const agents = await knownTools(connected);
  return new Map(hooks.map((hook) => [hook.path, portabilityOf(hook, agents, hookTexts)]));
}

/** The faults of hooks with the connected agents, as checks of `doctor`. */
export async function portabilityChecks(
  hooks: readonly Hook[],
  connected: readonly AgentName[],
): Promise<readonly Checkup[]> {
  const found = await listedPortability(hooks, connected);
  return [...found.values()].flatMap(({ texts }) => texts.map((text) => doubtful("hook names", text, null)));
}
