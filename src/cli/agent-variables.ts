import type { Host } from "../engine/host.ts";

/** A project's agent settings can set variables: these would disable hooks, skip or approve them, or shorten their timeouts. */
const IGNORED_VARIABLES = ["HOOKCTL_NO_HOOKS", "HOOKCTL_SKIP", "HOOKCTL_TRUST", "HOOKCTL_TIMEOUT", "HOOKCTL_DEADLINE"];

/** The variables that are set and have no effect where an agent calls. */
export const ignoredVariables = ({ env }: Pick<Host, "env">): readonly string[] =>
  IGNORED_VARIABLES.filter((name) => (env[name] ?? "") !== "");

/** What an agent's call gets. The same object if that is all: what is derived from an environment is remembered by it. */
export function withoutHookctlVariables(host: Host): Host {
  if (!IGNORED_VARIABLES.some((name) => name in host.env)) return host;
  const env = Object.fromEntries(Object.entries(host.env).filter(([name]) => !IGNORED_VARIABLES.includes(name)));
  return { ...host, env };
}
