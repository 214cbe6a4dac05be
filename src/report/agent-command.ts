import { shellQuote } from "../protocol/command-line.ts";

/** Which settings of an agent a line is about. */
export interface AgentScope {
  readonly agent: string;
  readonly scope: string;
  /** The folder that was named with `-C`. */
  readonly directory: string | null;
}

/** A line about an agent's settings that means the same place when it is typed. */
export function agentCommand(verb: string, place: AgentScope, flags: readonly string[] = []): string {
  const scope = place.scope === "project" ? [] : ["--scope", place.scope];
  return hookctlCommand([verb, place.agent, ...flags, ...scope], place);
}

/** The same for a verb that takes no scope. */
export const hookctlCommand = (words: readonly string[], { directory }: Pick<AgentScope, "directory">): string =>
  ["hookctl", ...words, ...(directory === null ? [] : ["-C", directory])].map(shellQuote).join(" ");
