import type { Commands } from "./cli/command-table.ts";
import { approvalCommands } from "./commands/approval-commands.ts";
import { coreCommands } from "./commands/core-commands.ts";
import { serviceCommands } from "./commands/service-commands.ts";

/** All commands, those of the packages included, in the order of the help. */
export async function allCommands(): Promise<Commands> {
  const [
    { testingCommands },
    { guardCommands },
    { agentCommands },
    { packCommands },
    { sdkCommands },
    { insightCommands },
  ] = await Promise.all([
    import("./commands/testing-commands.ts"),
    import("./commands/guard-commands.ts"),
    import("./commands/agent-commands.ts"),
    import("./commands/pack-commands.ts"),
    import("./commands/sdk-commands.ts"),
    import("./commands/insight-commands.ts"),
  ]);
  return {
    ...coreCommands,
    ...approvalCommands,
    ...testingCommands,
    ...guardCommands,
    ...agentCommands,
    ...packCommands,
    ...sdkCommands,
    ...insightCommands,
    ...serviceCommands,
  };
}
