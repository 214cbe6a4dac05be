import { fileURLToPath } from "node:url";
import { PACKAGE_ROOT } from "../../../src/fs/package-root.ts";
import { pathExists } from "../../../src/fs/paths.ts";
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
  return target.scope === "machine" ? rootCommand(line) : line;
}

/** A command to type for the same folder. */
export const hookctlCommand = (words: readonly string[], { directory }: Pick<AgentScope, "directory">): string =>
  ["hookctl", ...words, ...(directory === null ? [] : ["-C", directory])].map(shellQuote).join(" ");

/** Where sudo looks for programs on Linux, whatever the user's PATH is. */
const SUDO_PATH = ["/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"];

/** The line of hookctl, to type as root. If sudo does not find hookctl, it is installed for root first. */
export function rootCommand(line: string): string {
  const isFound = process.platform !== "linux" || SUDO_PATH.some((folder) => pathExists(`${folder}/hookctl`));
  return isFound ? `sudo ${line}` : installedRootCommand(line);
}

export const installedRootCommand = (line: string): string =>
  `sudo npm install --global --install-links ${shellQuote(fileURLToPath(PACKAGE_ROOT))} && sudo ${line}`;
