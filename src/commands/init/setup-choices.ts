import { AGENT_NAMES, type AgentName } from "../../agents/agent.ts";
import type { GuardName } from "../../protocol/guard-settings.ts";
import type { UsageProblem } from "../../protocol/problem.ts";
import { fail, ok, type Result } from "../../protocol/result.ts";
import { nearest } from "../../protocol/text/nearest.ts";
import { guardsNamed } from "../guards/guard-names.ts";

/** The guards to turn on and the agents to connect. */
export interface SetupChoices {
  readonly guards: readonly GuardName[];
  readonly agents: readonly AgentName[];
}

/** What most people want stopped: lost work, leaked secrets, and an agent that switches that off. */
export const DEFAULT_GUARDS: readonly GuardName[] = ["filesystem", "git", "secrets", "self-protection"];

/** Reads names that are separated by commas or blanks; `none` alone names nothing. */
export function readGuards(text: string): Result<readonly GuardName[], UsageProblem> {
  const words = wordsOf(text);
  return words.length === 0 ? nothingNamed("--guards") : guardsNamed(withoutNone(words));
}

/** The same for agents. */
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
