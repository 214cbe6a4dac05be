import { existsSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";
import type { Scopes } from "../../../../src/discover/scopes.ts";
import type { Host, Terminal } from "../../../../src/engine/host.ts";
import { isFolder, isProgram } from "../../../../src/fs/paths.ts";
import { AGENT_NAMES, type AgentName } from "../../../../src/protocol/agent-names.ts";
import type { GuardName } from "../../../../src/protocol/guard-settings.ts";
import { explain } from "../../../../src/protocol/problem-messages/explain.ts";
import { attemptSync, ProblemError, unwrap } from "../../../../src/protocol/result.ts";
import { nearest } from "../../../../src/protocol/text/nearest.ts";
import { escapeControls } from "../../../../src/protocol/text/text.ts";
import { displayPath } from "../../../../src/report/display-path.ts";
import { column } from "../../../../src/report/text-style.ts";
import { KNOWN_AGENTS } from "../../../agents/known-agents.ts";
import { GUARDS } from "../../../guards/guards.ts";
import { agentUserFile } from "../../install/agent-files.ts";
import { guardsNamed } from "../guards/switches-named.ts";

/** The guards to turn on and the agents to connect. */
export interface SetupChoices {
  readonly guards: readonly GuardName[];
  readonly agents: readonly AgentName[];
  /** False: no server answers the agents' calls. */
  readonly hasServer: boolean;
}

/** What most people want to prevent: lost work, leaked secrets, and an agent that disables its guards. */
export const DEFAULT_GUARDS: readonly GuardName[] = ["filesystem", "git", "secrets", "self-protection"];

/** An agent that is used here, with the evidence. */
export interface DetectedAgent {
  readonly name: AgentName;
  readonly evidence: string;
}

interface Surroundings {
  readonly scopes: Scopes;
  readonly env: Host["env"];
  /** The title of the agent that started this call; null if a person started it. */
  readonly caller: string | null;
}

/**
 * The agents that called this command, left a folder in the home directory or the project, or have their program on the
 * PATH. Runs nothing.
 */
export function detectAgents(around: Surroundings): readonly DetectedAgent[] {
  return AGENT_NAMES.flatMap((name) => {
    const evidence = KNOWN_AGENTS[name].title === around.caller ? "it calls this command" : evidenceOf(name, around);
    return evidence === null ? [] : [{ name, evidence }];
  });
}

function evidenceOf(name: AgentName, { scopes, env }: Surroundings): string | null {
  const { homeDir, projectDir, hasProject } = scopes;
  const { ownFolders, process } = KNOWN_AGENTS[name];
  const folder = homeDir === null ? null : agentUserFile(name, ownFolders.user, homeDir, env);
  if (folder !== null && isFolder(folder)) return displayPath(folder, { cwd: projectDir, homeDir });
  const program = process.programs.find((one) => isOnPath(one, env));
  if (program !== undefined) return `${program} is on the PATH`;
  return hasProject && existsSync(join(projectDir, ownFolders.project)) ? `${ownFolders.project} in the project` : null;
}

const isOnPath = (program: string, { PATH = "" }: Host["env"]): boolean =>
  PATH.split(delimiter).some((folder) => isAbsolute(folder) && isProgram(join(folder, program)));

/** More invalid lines come from a program, or from pasted text. */
const MOST_TRIES = 20;
const NAME_WIDTH = 17;

interface SetupQuestions {
  /** Null if the command line did not name them. */
  readonly guards: SetupChoices["guards"] | null;
  readonly agents: SetupChoices["agents"] | null;
  readonly found: readonly DetectedAgent[];
  readonly isServerOpen: boolean;
}

/**
 * Asks on the terminal which guards to turn on and which agents to connect, unless they are named, and whether a server may
 * answer where that is not decided. Null if the input has ended.
 */
export async function askSetup(
  terminal: Terminal,
  { guards: namedGuards, agents: namedAgents, found, isServerOpen }: SetupQuestions,
): Promise<SetupChoices | null> {
  const askGuards = {
    intro: `Enter accepts the items marked *. Or type a comma-separated list, or none.\n\nGuards:\n${guardLines()}`,
    question: "Turn on",
    defaults: DEFAULT_GUARDS,
    read: readGuards,
  };
  const guards = namedGuards ?? (await askNames(terminal, askGuards));
  if (guards === null) return null;
  const askAgents = {
    intro: `\nAgents:\n${agentLines(found)}`,
    question: "Connect",
    defaults: found.map(({ name }) => name),
    read: readAgents,
  };
  const agents = namedAgents ?? (await askNames(terminal, askAgents));
  if (agents === null || agents.length === 0 || !isServerOpen) return agents && { guards, agents, hasServer: true };
  const typed = await terminal.ask(SERVER_QUESTION);
  return typed === null ? null : { guards, agents, hasServer: !/^(?:n|no|none)$/i.test(typed.trim()) };
}

const SERVER_QUESTION =
  "\nAfter the first call a server answers, in a tenth of the time; it stops after ten idle minutes.\nUse one [yes]: ";

const guardLines = (): string =>
  Object.values(GUARDS)
    .map(({ name, about }) => {
      return `  ${DEFAULT_GUARDS.includes(name) ? "*" : " "} ${column(name, NAME_WIDTH)} ${about}\n`;
    })
    .join("");

function agentLines(found: readonly DetectedAgent[]): string {
  const lines = found.map(
    ({ name, evidence }) =>
      `  * ${column(name, NAME_WIDTH)} ${KNOWN_AGENTS[name].title} (${escapeControls(evidence)})\n`,
  );
  const others = AGENT_NAMES.filter((name) => found.every((one) => one.name !== name));
  return `${lines.join("")}    not found: ${others.join(", ")}\n`;
}

/** After a typing error it asks again, so that the error is not read as a no. */
async function askNames<T extends string>(
  terminal: Terminal,
  {
    intro,
    question,
    defaults,
    read,
  }: {
    readonly intro: string;
    readonly question: string;
    readonly defaults: readonly T[];
    readonly read: (typed: string) => readonly T[];
  },
): Promise<readonly T[] | null> {
  const prompt = `${question} [${defaults.length === 0 ? "none" : defaults.join(",")}]: `;
  let before = intro;
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const typed = (await terminal.ask(before + prompt))?.trim();
    if (typed === undefined) return null;
    if (/^(?:y|yes|)$/i.test(typed)) return defaults;
    if (/^(?:n|no)$/i.test(typed)) return [];
    const names = attemptSync(() => read(typed));
    if (names.ok) return names.value;
    before = `  ${escapeControls(explain(names.error).summary)}\n`;
  }
  return null;
}

/** Reads names that are separated by commas or blanks; `none` alone names nothing. */
export const readGuards = (text: string): readonly GuardName[] => unwrap(guardsNamed(namesIn(text, "--guards")));

/** Reads agents' names in the same form. */
export function readAgents(text: string): readonly AgentName[] {
  const names = namesIn(text, "--agents");
  const unknown = names.find((word) => !AGENT_NAMES.some((name) => name === word));
  if (unknown === undefined) return AGENT_NAMES.filter((name) => names.includes(name));
  const near = nearest(unknown, AGENT_NAMES);
  const detail = `the agents are ${AGENT_NAMES.join(", ")}${near === null ? "" : `; did you mean ${near}?`}`;
  throw new ProblemError({ code: "USAGE_BAD_VALUE", flag: "--agents", value: unknown, detail });
}

function namesIn(text: string, option: string): readonly string[] {
  const words = text.split(/[\s,]+/).filter((word) => word !== "");
  if (words.length > 0) return words.length === 1 && words[0] === "none" ? [] : words;
  throw new ProblemError({ code: "USAGE_BAD_VALUE", flag: option, value: "", detail: "name some, or none" });
}
