import type { Agent } from "../../agents/agent.ts";
import { blockFormat } from "../../agents/agent.ts";
import type { FoundRegistration } from "../../agents/agent-install.ts";
import { AGENT_INSTALLS } from "../../agents/agents.ts";

/** How an agent asks a running `hookctl serve` instead of starting hookctl. */
export interface HttpChoice {
  readonly port: number;
  /** Also events that a hook could block: the agent continues when no server answers. */
  readonly isAll: boolean;
  /** The server blocks when it cannot rely on its answer. */
  readonly isClosed: boolean;
  /** The folder of the project; null for the folder in which the agent works. */
  readonly directory: string | null;
}

/** True if this event of the agent is registered as an address. */
export function isOverHttp(agent: Agent, event: string, choice: HttpChoice | undefined): choice is HttpChoice {
  const { commandOnly } = AGENT_INSTALLS[agent.name].httpHooks ?? {};
  if (choice === undefined || commandOnly === undefined || commandOnly.includes(event)) return false;
  return choice.isAll || !mayBlock(agent, event);
}

const mayBlock = ({ events }: Agent, event: string): boolean => blockFormat(events[event]?.answers ?? {}) !== undefined;

export function httpAddress(agent: Agent, event: string, choice: HttpChoice): string {
  const query = [
    ...(choice.directory === null ? [] : [`directory=${encodeURIComponent(choice.directory)}`]),
    ...(choice.isClosed && mayBlock(agent, event) ? ["fail-closed"] : []),
  ];
  return `http://127.0.0.1:${choice.port}/bridge/${agent.name}/${event}${query.length === 0 ? "" : `?${query.join("&")}`}`;
}

/** An address that `install` has written, also if somebody has edited it. */
const ADDRESS = /^http:\/\/(?:127\.0\.0\.1|localhost|\[::1\])(?::(\d{1,5}))?\/bridge\/([a-z]+)\/\w*(?:\?(.*))?$/;

/** True for an address at which this agent asks hookctl. */
export const isHookctlAddress = (text: string, agent: string): boolean => ADDRESS.exec(text)?.[2] === agent;

/** The options in an address. */
export const addressOptions = (text: string): URLSearchParams => new URLSearchParams(ADDRESS.exec(text)?.[3] ?? "");

const HIGHEST_PORT = 65_535;
/** Null if no server can listen there. */
function portIn(text: string): number | null {
  const port = Number(ADDRESS.exec(text)?.[1] ?? 0);
  return port > 0 && port <= HIGHEST_PORT ? port : null;
}

/** Reads the choice from the addresses among these registrations; undefined if none has a port. */
export function httpChoiceOf(lines: readonly FoundRegistration[], agent: Agent): HttpChoice | undefined {
  const own = lines.filter(({ command }) => isHookctlAddress(command, agent.name));
  const [port] = own.flatMap(({ command }) => portIn(command) ?? []);
  if (port === undefined) return undefined;
  const options = own.map(({ command }) => addressOptions(command));
  return {
    port,
    isAll: own.some(({ event }) => mayBlock(agent, event)),
    isClosed: options.some((one) => one.has("fail-closed")),
    directory: options[0]?.get("directory") ?? null,
  };
}
