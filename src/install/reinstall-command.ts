import { agentCommand } from "../report/agent-command.ts";
import type { InstallTarget } from "./install-target.ts";

/** The command that repairs a registration. It keeps the registered events, and fail-open or fail-closed. */
export const reinstallCommand = ({ agent, scope, options }: InstallTarget): string =>
  agentCommand("install", { agent: agent.name, scope, directory: options.directory });
