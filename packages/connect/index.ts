export { agentCommands } from "./commands/agent-commands.ts";
export { guardCommands } from "./commands/guard-commands.ts";
