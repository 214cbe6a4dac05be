import { findEvent } from "../../../../src/protocol/event.ts";
import { EMPTY_OBJECT, objectOr, stringOr, type UncheckedObject } from "../../../../src/protocol/json/read.ts";
import { ownValue } from "../../../../src/protocol/own-value.ts";
import { shellQuote } from "../../../../src/protocol/text/shell-quote.ts";
import { rowOfTool } from "../../../../src/protocol/tools/translate.ts";
import { portableToolNamed } from "../../../../src/protocol/tools/vocabulary.ts";
import type { Agent } from "../../../agents/agent.ts";

/** One hook of an agent, converted to an entry of hookctl's settings. */
export interface AdoptedHook {
  /** The event in Claude Code's dialect. */
  readonly on: string;
  readonly name: string;
  readonly entry: UncheckedObject;
  /** As it was in the agent's settings. */
  readonly command: string;
  /** The variables that the command reads and that are not set by the command or the entry. */
  readonly variables: readonly string[];
}

/** The default timeout of Claude Code, Qwen Code and Factory Droid, which is longer than hookctl's. */
const CLAUDE_DEFAULT_SECONDS = 60;
const LONGEST_SECONDS = 24 * 60 * 60;

/** A hook as it is in an agent's settings, and its new name. */
export interface AgentHook {
  readonly event: string;
  readonly group: unknown;
  readonly handler: UncheckedObject;
  readonly name: string;
}

export function adoptClaudeHook(agent: Agent, { event, group, handler, name }: AgentHook): AdoptedHook {
  const match = adoptedMatch(agent, event, stringOr(objectOr(group).matcher));
  const rest = {
    ...(match == null ? {} : { match }),
    timeout: adoptedTimeout(handler.timeout, CLAUDE_DEFAULT_SECONDS),
  };
  return adoptedEntry(agent, { on: `claude:${event}`, name, command: stringOr(handler.command), folder: "", rest });
}

interface AdoptedEntry extends Pick<AdoptedHook, "on" | "name" | "command"> {
  /** The folder in which it runs, relative to the project; empty: the project's folder. */
  readonly folder: string;
  readonly rest: UncheckedObject;
}

/** The command runs in the same folder and with the same variables as it did under the agent. */
function adoptedEntry(agent: Agent, { on, name, command, folder, rest }: AdoptedEntry): AdoptedHook {
  const folders = projectVariables(agent);
  const files = filesIn(command, folders).map((path) => (folder === "" ? path : `${folder}/${path}`));
  const exports = folders.map((variable) => `${variable}="$HOOKCTL_PROJECT_DIR"`).join(" ");
  const place = folder === "" ? '"$HOOKCTL_PROJECT_DIR"' : `"$HOOKCTL_PROJECT_DIR"/${shellQuote(folder)}`;
  const entry = {
    name,
    command: `export ${exports}; cd ${place} || exit 1\n${command}`,
    ...rest,
    ...(files.length === 0 ? {} : { files }),
  };
  const variables = variablesIn(command).filter((variable) => !folders.includes(variable));
  return { on, name, entry, command, variables };
}

/** Claude Code's variable, which similar agents set as well, and the agent's own. */
const projectVariables = ({ projectVariable }: Agent): readonly string[] => [
  ...new Set(["CLAUDE_PROJECT_DIR", ...(projectVariable === null ? [] : [projectVariable])]),
];

function adoptedTimeout(seconds: unknown, defaultSeconds: number): string {
  const isLimit = typeof seconds === "number" && seconds > 0;
  const ms = Math.max(1, Math.round(Math.min(isLimit ? seconds : defaultSeconds, LONGEST_SECONDS) * 1000));
  return ms % 1000 === 0 ? `${ms / 1000}s` : `${ms}ms`;
}

const FIELDS: Readonly<Record<string, string>> = {
  PreToolUse: "tool_name",
  PostToolUse: "tool_name",
  PostToolUseFailure: "tool_name",
  PermissionRequest: "tool_name",
  SessionStart: "source",
  SessionEnd: "reason",
  PreCompact: "trigger",
  PostCompact: "trigger",
  Notification: "kind",
};

/**
 * Converts a matcher to `match`: a list of names. Null if it matches everything; undefined for a pattern that `match` does not
 * support, so that the hook would run more or less often.
 */
export function adoptedMatch(
  agent: Agent,
  event: string,
  matcher: string,
): Record<string, readonly string[]> | null | undefined {
  const field = ownValue(FIELDS, event);
  if (matcher === "" || matcher === "*" || field === undefined) return null;
  const names = matcher.split(/[|,]/).map((name) => name.trim().replace(/\.\*$/, "*"));
  if (names.some((name) => !/^[\w -]+\*?$/.test(name))) return undefined;
  return { [field]: field === "tool_name" ? [...new Set(names.map((name) => nameForMatch(agent, name)))] : names };
}

/** A name that `match` accepts in every agent: Claude Code's own names, and the portable name of another agent's tool. */
function nameForMatch({ tools }: Agent, name: string): string {
  if (portableToolNamed(name) !== null) return name;
  return rowOfTool(tools, name, EMPTY_OBJECT)?.tool ?? name;
}

/** The project files that a command mentions: an approval covers them. */
function filesIn(command: string, folders: readonly string[]): readonly string[] {
  const words = command.split(/[\s;|&<>()]+/).map((word) => word.replace(/["']/g, ""));
  const below = new RegExp(`^(?:\\$\\{?(?:${folders.join("|")})\\}?/|\\./)?(\\.?[\\w@+-][\\w@+./-]*)$`);
  const paths = words.flatMap((word) => below.exec(word)?.[1] ?? []);
  return [...new Set(paths.filter((path) => path.includes("/")))];
}

/** Variables that every shell sets. */
const OF_THE_SHELL = ["PWD", "OLDPWD", "IFS", "PPID", "LINENO", "OPTARG", "OPTIND"];

function variablesIn(command: string): readonly string[] {
  const names = Array.from(command.matchAll(/(?<!\\)\$\{?([A-Za-z_]\w*)/g), ([, name = ""]) => name);
  const isSet = (name: string): boolean =>
    new RegExp(`(?:^|[\\s;&|({])(?:${name}=|for\\s+${name}\\s|read\\s[^;&|\\n]*\\b${name}\\b)`).test(command);
  return [...new Set(names)].filter((name) => !OF_THE_SHELL.includes(name) && !isSet(name));
}

/** Copilot's default timeout. */
const COPILOT_DEFAULT_SECONDS = 30;

/** Converts a handler of `.github/hooks/*.json`. Of its two commands the one for a POSIX shell is used. */
export function adoptCopilotHook(agent: Agent, { event, handler, name }: AgentHook): AdoptedHook {
  return adoptedEntry(agent, {
    on: nameFor(event),
    name,
    command: commandIn(handler),
    folder: stringOr(handler.cwd).replace(/^\.\/?/, ""),
    rest: { timeout: adoptedTimeout(handler.timeoutSec ?? handler.timeout, COPILOT_DEFAULT_SECONDS) },
  });
}

const commandIn = (handler: UncheckedObject): string => stringOr(handler.bash) || stringOr(handler.command);

/** For a PascalCase event Copilot sends Claude Code's payload. */
const nameFor = (event: string): string => (/^[A-Z]/.test(event) ? `claude:${event}` : `copilot:${event}`);

/** The keys that can be converted: a handler with any other key would lose it. */
const KNOWN = [
  "type",
  "bash",
  "powershell",
  "command",
  "cwd",
  "timeoutSec",
  "timeout",
  "name",
  "description",
  "comment",
];

/** Why a handler cannot be adopted; null if it can. */
export function copilotReasonToKeep(event: string, handler: UncheckedObject): string | null {
  if (findEvent(nameFor(event)) === null) return "hookctl has no such event";
  if ((handler.type ?? "command") !== "command" || commandIn(handler) === "")
    return "only shell commands can be migrated";
  const strange = Object.keys(handler).find((key) => !KNOWN.includes(key));
  if (strange !== undefined) return `"${strange}" has no equivalent in hookctl's settings`;
  const folder = stringOr(handler.cwd);
  return folder.startsWith("/") || folder.split("/").includes("..") ? "it runs outside the project" : null;
}
