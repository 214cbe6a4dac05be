import type { Commands } from "./cli/command-table.ts";
import { agentCommands } from "./commands/agent-commands.ts";
import { approvalCommands } from "./commands/approval-commands.ts";
import { coreCommands } from "./commands/core-commands.ts";
import { guardCommands } from "./commands/guard-commands.ts";
import { insightCommands } from "./commands/insight-commands.ts";
import { packCommands } from "./commands/pack-commands.ts";
import { sdkCommands } from "./commands/sdk-commands.ts";
import { serviceCommands } from "./commands/service-commands.ts";
import { testingCommands } from "./commands/testing-commands.ts";

/** All commands, in the order of the help. */
export const COMMANDS: Commands = {
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
