import { textAt } from "../../src/dialects/field-paths.ts";
import type { JsonObject } from "../../src/protocol/json/read.ts";
import type { Agent } from "./agent.ts";

/** What is known about the run of an agent whose hook asks a person. */
export interface AskedRun {
  readonly agent: Agent;
  readonly native: JsonObject;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The agent's process, with its terminal, which is empty if it has none; null if the process was not found. */
  readonly agentProcess: { readonly args: readonly string[]; readonly terminal: string } | null;
  /** True if the question is about hookctl's own protection. */
  readonly isOwnProtection: boolean;
}

/** Options of a run that answers one prompt and ends. The value of a prompt may follow. */
const HEADLESS = /^(?:-[A-Za-z]*p|--(?:print|prompt|headless)(?:=.*)?)$/s;
/** Options with which another program, such as an editor, shows the agent's questions to a person. */
const HOSTED = /^--(?:(?:experimental-)?acp|stdio|server|input-format|permission-prompt-tool)(?:=.*)?$/s;
/** Options with which the agent starts tools without asking. */
const ALWAYS_APPROVE =
  /^(?:-[A-Za-z]*y|--(?:yolo|allow-all|allow-all-tools|dangerously-skip-permissions|always-approve)(?:=true)?)$/;
/** The words for such modes in payloads, and after an option. */
const UNASKED_MODE = /^(?:bypassPermissions|dontAsk|yolo|never)$/i;
const MODE_OPTION = /^--(?:approval-mode|permission-mode)$/;

/** Returns why no person can answer a question of a hook in this run; null if a person can, as far as is known. */
export function whyUnanswered({ agent, native, env, agentProcess, isOwnProtection }: AskedRun): string | null {
  const args = optionsOf(agentProcess?.args ?? []);
  const mode = modeOf(native, args);
  const drops = mode !== null && agent.asks?.modes[mode] === "dropped";
  if (drops || (mode !== null && isOwnProtection)) return `${agent.title} runs in the mode ${mode}, which asks nobody`;
  if (args.some((arg) => HOSTED.test(arg))) return null;
  const option = args.find((arg) => HEADLESS.test(arg));
  if (option !== undefined) return `${agent.title} was started with ${option.split("=", 1)[0]}, so nobody can answer`;
  // An agent with windows of its own needs no terminal.
  if (agentProcess !== null && agent.asks !== undefined)
    return agentProcess.terminal === "" ? `${agent.title} was started without a terminal, so nobody can answer` : null;
  const signs = agentProcess === null ? Object.entries(agent.asks?.headlessIf ?? {}) : [];
  const isHeadless = signs.some(([variable, value]) => env[variable] === value);
  return isHeadless ? `${agent.title} was started for one prompt, so nobody can answer` : null;
}

/** The words of a command line before `--`, without the program. */
function optionsOf([, ...args]: readonly string[]): readonly string[] {
  const end = args.indexOf("--");
  return end < 0 ? args : args.slice(0, end);
}

/** Returns the mode in which the agent starts tools without a question; null if it is in no such mode. */
function modeOf(native: JsonObject, args: readonly string[]): string | null {
  // The payload says what is true now: a person can change the mode while the agent runs.
  const sent = textAt(native, "permission_mode");
  if (sent !== "") return UNASKED_MODE.test(sent) ? sent : null;
  const named = args.flatMap((arg, index) => {
    const [option = "", value = args[index + 1] ?? ""] = arg.split("=", 2);
    return MODE_OPTION.test(option) && UNASKED_MODE.test(value) ? [value] : [];
  });
  return named.at(-1) ?? args.find((arg) => ALWAYS_APPROVE.test(arg))?.replace(/=true$/, "") ?? null;
}
