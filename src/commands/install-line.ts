import { agentLine } from "../report/agent-line.ts";
import type { AgentSite } from "./agent-site.ts";

/** The line that repairs a registration: what is registered already stays, and so does its being open or closed. */
export const installLine = ({ agent, scope, flags }: AgentSite): string =>
  agentLine("install", { agent: agent.name, scope, directory: flags.directory });
