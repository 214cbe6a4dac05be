import { arrayOr, objectOr, stringOr, type UncheckedObject } from "../../../src/protocol/json/read.ts";
import { type Agent, blockFormat } from "../../agents/agent.ts";
import type { FoundRegistration } from "../../agents/agent-install.ts";
import { AGENT_INSTALLS } from "../../agents/agents.ts";
import { type ProtectedFormat, settingsIn } from "../../agents/protection.ts";

export const formatOfPath = (path: string): "json" | "toml" => (path.endsWith(".toml") ? "toml" : "json");

export const parseSettingsText = (text: string, format: ProtectedFormat): UncheckedObject =>
  settingsIn(text, format).settings;

/** A registered command, also if somebody has edited it. */
const REGISTERED = /\bhookctl(?:\.js)?"? bridge (?=[a-z]+ --event )([a-z]+)/;

export const isHookctlCommand = (command: string, agent: string): boolean =>
  REGISTERED.exec(command)?.[1] === agent || isHookctlAddress(command, agent);

/** Finds the registrations of hookctl in an agent's settings, including edited ones. */
export function findRegistrations(settings: UncheckedObject, agent: string): readonly FoundRegistration[] {
  return Object.entries(objectOr(settings.hooks)).flatMap(([event, groups]) =>
    arrayOr(groups).flatMap((entry, group) =>
      handlersOf(objectOr(entry)).flatMap(({ command: started, url }, handler): readonly FoundRegistration[] => {
        const command = stringOr(started ?? url);
        const matcher = stringOr(objectOr(entry).matcher);
        return isHookctlCommand(command, agent) ? [{ event, command, group, handler, matcher }] : [];
      }),
    ),
  );
}

/** The handlers of a group, or a handler without a group. */
export const handlersOf = (entry: UncheckedObject): readonly UncheckedObject[] =>
  Array.isArray(entry.hooks) ? entry.hooks.map(objectOr) : [entry];

/** The registrations in a settings file that was read. */
export const registrationsIn = (file: {
  readonly agent: { readonly name: string };
  readonly text: string | null;
  readonly format: ProtectedFormat;
}): readonly FoundRegistration[] => findRegistrations(parseSettingsText(file.text ?? "", file.format), file.agent.name);

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

/** Reads the choice from the addresses among these registrations; undefined if none has a port. */
export function httpChoiceOf(lines: readonly FoundRegistration[], agent: Agent): HttpChoice | undefined {
  const own = lines.filter(({ command }) => isHookctlAddress(command, agent.name));
  // No server can listen at another port.
  const port = own.map(({ command }) => Number(ADDRESS.exec(command)?.[1])).find((one) => one > 0 && one <= 65_535);
  if (port === undefined) return undefined;
  const options = own.map(({ command }) => addressOptions(command));
  return {
    port,
    isAll: own.some(({ event }) => mayBlock(agent, event)),
    isClosed: options.some((one) => one.has("fail-closed")),
    directory: options[0]?.get("directory") ?? null,
  };
}
