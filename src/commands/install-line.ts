import type { RegisteredLine } from "../agents/registered.ts";
import { agentLine } from "../report/agent-line.ts";
import type { AgentSite } from "./agent-site.ts";

/** The line that, typed again, writes what stands there: a hint that says less would open what was closed. */
export function installLine(site: AgentSite, lines: readonly Pick<RegisteredLine, "event" | "command">[]): string {
  const { agent, scope, flags } = site;
  const events = [...new Set(lines.map(({ event }) => event))].filter((event) => Object.hasOwn(agent.events, event));
  const usual = Object.keys(agent.events).filter((event) => agent.events[event]?.limitMs !== null);
  const isUsual =
    events.length === 0 || (events.length === usual.length && usual.every((event) => events.includes(event)));
  const closed = lines.some(({ command }) => command.includes(" --fail-closed ")) ? ["--fail-closed"] : [];
  const only = isUsual ? [] : ["--events", events.join(",")];
  return agentLine("install", { agent: agent.name, scope, directory: flags.directory }, [...closed, ...only]);
}
