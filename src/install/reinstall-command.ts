import { agentCommand } from "../report/agent-command.ts";
import type { InstallTarget } from "./install-target.ts";

/** The line that repairs a registration: what is registered already stays, and so does its being open or closed. */
export const reinstallCommand = ({ agent, scope, options }: InstallTarget): string =>
  agentCommand("install", { agent: agent.name, scope, directory: options.directory });
