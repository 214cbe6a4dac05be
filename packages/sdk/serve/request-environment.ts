import { isLoader } from "../../../src/process/filter-environment.ts";
import { AGENT_NAMES } from "../../../src/protocol/agent-names.ts";
import { AGENTS } from "../../agents/agents.ts";
import { wrongParams } from "./params.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** Variables about the caller: where an agent works, and how text is shown. No program executes their values. */
const CALLERS_CHOICE: ReadonlySet<string> = new Set([
  ...AGENT_NAMES.flatMap((name) => AGENTS[name].projectVariable ?? []),
  "LANG",
  "LANGUAGE",
  "TZ",
  "TERM",
  "COLUMNS",
  "LINES",
  "NO_COLOR",
  "TRACEPARENT",
]);
const CALLERS_PREFIX = "LC_";

/** These choose hookctl's files, its rules or the programs that start: no option of the server lets a request set them. */
const NEVER: ReadonlySet<string> = new Set(["HOME", "PATH", "SHELL", "TMPDIR", "USER", "LOGNAME"]);
const NEVER_PREFIXES = ["XDG_", "HOOKCTL_", "KODELET_", "GIT_", "NODE_", "BUN_", "npm_"];

/** True if no request may set this variable, whatever the server's options say. */
export const isServersOwn = (name: string): boolean =>
  NEVER.has(name) || NEVER_PREFIXES.some((prefix) => name.startsWith(prefix)) || isLoader(name);

/**
 * The environment of a request: the server's, and what the request may set. A socket may be reachable from a sandbox, so a
 * request decides nothing that the server's own environment decides.
 */
export function requestEnvironment(
  server: Environment,
  own: ReadonlyMap<string, string>,
  { allowed, depth }: { readonly allowed: readonly string[]; readonly depth: number },
): Environment {
  const refused = [...own.keys()].find((name) => !isCallersChoice(name, allowed));
  if (refused !== undefined) throw wrongParams(`params.env.${refused.slice(0, 60)} may not be set by the caller`);
  // The same object for most requests, because values that are derived from an environment are cached by the object.
  if (own.size === 0 && depth === 0) return server;
  return { ...server, ...Object.fromEntries(own), ...(depth === 0 ? {} : { HOOKCTL_DEPTH: String(depth) }) };
}

const isCallersChoice = (name: string, allowed: readonly string[]): boolean =>
  !isServersOwn(name) && (CALLERS_CHOICE.has(name) || name.startsWith(CALLERS_PREFIX) || allowed.includes(name));
