import { shellQuote } from "../../../src/protocol/text/shell-quote.ts";

/** The agent, scope and folder that a command is about. */
export interface AgentScope {
  readonly agent: string;
  readonly scope: string;
  /** The folder given with `-C`. */
  readonly directory: string | null;
}

/** A command to type about an agent's settings, with the options that select the same file. Without one, `init` means the user's. */
export function agentCommand(command: string, target: AgentScope, options: readonly string[] = []): string {
  const scope = target.scope === "project" && command !== "init" ? [] : ["--scope", target.scope];
  const line = hookctlCommand([command, target.agent, ...options, ...scope], target);
  return target.scope === "machine" ? `sudo ${line}` : line;
}

/** A command to type for the same folder. */
export const hookctlCommand = (words: readonly string[], { directory }: Pick<AgentScope, "directory">): string =>
  ["hookctl", ...words, ...(directory === null ? [] : ["-C", directory])].map(shellQuote).join(" ");
