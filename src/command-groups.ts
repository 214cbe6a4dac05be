import type { Commands } from "./cli/command-table.ts";
import { approvalCommands } from "./commands/approval-commands.ts";
import { coreCommands } from "./commands/core-commands.ts";

/** All commands, those of the packages included, in the order of the help. */
export async function allCommands(): Promise<Commands> {
  const [testing, connect, packs, authoring, insight, scripting] = await Promise.all([
    import("../packages/testing/index.ts"),
    import("../packages/connect/index.ts"),
    import("../packages/packs/index.ts"),
    import("../packages/authoring/index.ts"),
    import("../packages/insight/index.ts"),
    import("../packages/scripting/index.ts"),
  ]);
  return {
    ...coreCommands,
    ...approvalCommands,
    ...testing.testingCommands,
    ...connect.guardCommands,
    ...connect.agentCommands,
    ...packs.packCommands,
    ...authoring.authoringCommands,
    ...insight.insightCommands,
    ...scripting.scriptingCommands,
  };
}
