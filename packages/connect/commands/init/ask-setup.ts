import type { Terminal } from "../../../../src/engine/host.ts";
import { AGENT_NAMES, type AgentName } from "../../../../src/protocol/agent-names.ts";
import type { GuardName } from "../../../../src/protocol/guard-settings.ts";
import type { UsageProblem } from "../../../../src/protocol/problem.ts";
import { explain } from "../../../../src/protocol/problem-messages/explain.ts";
import { fail, ok, type Result } from "../../../../src/protocol/result.ts";
import { nearest } from "../../../../src/protocol/text/nearest.ts";
import { escapeControls } from "../../../../src/protocol/text/text.ts";
import { column, sentenceLines } from "../../../../src/report/text-style.ts";
import { AGENTS } from "../../../agents/agents.ts";
import { GUARDS } from "../../../guards/guards.ts";
import type { DetectedAgent } from "../../install/detect-agents.ts";
import { guardsNamed } from "../guards/switches-named.ts";

/** More invalid lines come from a program, or from pasted text. */
const MOST_TRIES = 20;
const NAME_WIDTH = 17;
const ABOUT_START = NAME_WIDTH + 5;

/** Asks on the terminal which guards to turn on and which agents to connect. Null if the input has ended. */
export async function askSetup(terminal: Terminal, found: readonly DetectedAgent[]): Promise<SetupChoices | null> {
  const guards = await askNames(terminal, {
    intro: `Enter takes what * marks; or type names, or none. Nothing is turned off.\n\nGuards:\n${guardLines()}`,
    question: "Turn on",
    usual: DEFAULT_GUARDS,
    read: readGuards,
  });
  if (guards === null) return null;
  const agents = await askNames(terminal, {
    intro: `\nAgents:\n${agentLines(found)}`,
    question: "Connect",
    usual: found.map(({ name }) => name),
    read: readAgents,
  });
  return agents === null ? null : { guards, agents };
}

const guardLines = (): string =>
  Object.values(GUARDS)
    .map(({ name, about }) => {
      const first = `  ${mark(DEFAULT_GUARDS.includes(name))} ${column(name, NAME_WIDTH)} `;
      return `${first}${sentenceLines(about, ABOUT_START)}\n`;
    })
    .join("");

function agentLines(found: readonly DetectedAgent[]): string {
  const lines = found.map(
    ({ name, evidence }) =>
      `  ${mark(true)} ${column(name, NAME_WIDTH)} ${AGENTS[name].title} (${escapeControls(evidence)})\n`,
  );
  const others = AGENT_NAMES.filter((name) => found.every((one) => one.name !== name));
  const missing = "    not found: ";
  return `${lines.join("")}${missing}${sentenceLines(others.join(", "), missing.length)}\n`;
}

const mark = (isUsual: boolean): string => (isUsual ? "*" : " ");

interface NamesQuestion<T> {
  readonly intro: string;
  readonly question: string;
  readonly usual: readonly T[];
  readonly read: (typed: string) => Result<readonly T[], UsageProblem>;
}

/** After a typing error it asks again, so that the error is not read as a no. */
async function askNames<T extends string>(
  terminal: Terminal,
  { intro, question, usual, read }: NamesQuestion<T>,
): Promise<readonly T[] | null> {
  const prompt = `${question} [${usual.length === 0 ? "none" : usual.join(",")}] ? `;
  let before = intro;
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const typed = (await terminal.ask(before + prompt))?.trim();
    if (typed === undefined) return null;
    if (/^(?:y|yes|)$/i.test(typed)) return usual;
    if (/^(?:n|no)$/i.test(typed)) return [];
    const names = read(typed);
    if (names.ok) return names.value;
    before = `  ${sentenceLines(escapeControls(explain(names.error).summary), 2)}\n`;
  }
  return null;
}

/** The guards to turn on and the agents to connect. */
export interface SetupChoices {
  readonly guards: readonly GuardName[];
  readonly agents: readonly AgentName[];
}

/** What most people want to prevent: lost work, leaked secrets, and an agent that disables its guards. */
export const DEFAULT_GUARDS: readonly GuardName[] = ["filesystem", "git", "secrets", "self-protection"];

/** Reads names that are separated by commas or blanks; `none` alone names nothing. */
export function readGuards(text: string): Result<readonly GuardName[], UsageProblem> {
  const words = wordsOf(text);
  return words.length === 0 ? nothingNamed("--guards") : guardsNamed(withoutNone(words));
}

/** Reads agents' names in the same form. */
export function readAgents(text: string): Result<readonly AgentName[], UsageProblem> {
  const words = wordsOf(text);
  if (words.length === 0) return nothingNamed("--agents");
  const names = withoutNone(words);
  const unknown = names.find((word) => !isAgentName(word));
  if (unknown === undefined) return ok(AGENT_NAMES.filter((name) => names.includes(name)));
  const near = nearest(unknown, AGENT_NAMES);
  const detail = `the agents are ${AGENT_NAMES.join(", ")}${near === null ? "" : `; did you mean ${near}?`}`;
  return fail({ code: "USAGE_BAD_VALUE", flag: "--agents", value: unknown, detail });
}

const isAgentName = (word: string): boolean => AGENT_NAMES.some((name) => name === word);
const wordsOf = (text: string): readonly string[] => text.split(/[\s,]+/).filter((word) => word !== "");
const withoutNone = (words: readonly string[]): readonly string[] =>
  words.length === 1 && words[0] === "none" ? [] : words;

const nothingNamed = (flag: string): Result<never, UsageProblem> =>
  fail({ code: "USAGE_BAD_VALUE", flag, value: "", detail: "name some, or none" });
