import { findEvent } from "../../../../src/protocol/event.ts";
import {
  arrayOr,
  EMPTY_OBJECT,
  isObject,
  objectOr,
  stringOr,
  type UncheckedObject,
} from "../../../../src/protocol/json/read.ts";
import { ownValue } from "../../../../src/protocol/own-value.ts";
import { shellQuote } from "../../../../src/protocol/text/shell-quote.ts";
import { rowOfTool } from "../../../../src/protocol/tools/translate.ts";
import { portableToolNamed } from "../../../../src/protocol/tools/vocabulary.ts";
import type { Agent } from "../../../agents/agent.ts";
import type { AdoptableHooks } from "../../../agents/agent-install.ts";
import { AGENT_INSTALLS } from "../../../agents/agents.ts";

/** One hook of an agent, converted to an entry of hookctl's settings. */
export interface AdoptedHook {
  /** The event with its dialect. */
  readonly on: string;
  readonly name: string;
  readonly entry: UncheckedObject;
  /** As it was in the agent's settings. */
  readonly command: string;
  /** The variables that the command reads and that are not set by the command or the entry. */
  readonly variables: readonly string[];
}

/** A group of handlers in an agent's settings; or a handler, where the agent has no groups. */
interface HandlerGroup {
  readonly event: string;
  readonly group: UncheckedObject;
}

/** How the hooks of some agents differ. */
interface HookForm {
  readonly handlersIn: (group: UncheckedObject) => readonly unknown[];
  /** The event with the dialect of its payload. */
  readonly eventOf: (event: string) => string;
  /** False for a key that has no equivalent: a converted handler would lose it. */
  readonly isConvertible: (key: string) => boolean;
  readonly onlyCommands: string;
  /** The agents' default timeout, which is longer than hookctl's. */
  readonly defaultSeconds: number;
}

const CLAUDE_KEYS = ["type", "command", "timeout", "async", "name", "description", "statusMessage"];
const COPILOT_KEYS = ["type", "bash", "powershell", "command", "cwd", "timeoutSec", "timeout", "name", "description"];

const FORMS: Readonly<Record<AdoptableHooks, HookForm>> = {
  grouped: {
    handlersIn: ({ hooks }) => arrayOr(hooks),
    eventOf: (event) => `claude:${event}`,
    // JSON has no comments but these keys: `_comment`, `$comment`, `//`.
    isConvertible: (key) => CLAUDE_KEYS.includes(key) || /^[_$]?comment$|^_|^\/\//.test(key),
    onlyCommands: "only command hooks can be",
    defaultSeconds: 60,
  },
  flat: {
    handlersIn: (handler) => [handler],
    // For a PascalCase event Copilot sends Claude Code's payload.
    eventOf: (event) => (/^[A-Z]/.test(event) ? `claude:${event}` : `copilot:${event}`),
    isConvertible: (key) => COPILOT_KEYS.includes(key) || key === "comment",
    onlyCommands: "only shell commands can be migrated",
    defaultSeconds: 30,
  },
};

const formOf = ({ name }: Agent): HookForm => FORMS[AGENT_INSTALLS[name].adoptableHooks ?? "grouped"];

export const handlersToAdopt = (agent: Agent, group: UncheckedObject): readonly unknown[] =>
  formOf(agent).handlersIn(group);

/** Of Copilot's two commands the one for a POSIX shell. */
const commandIn = ({ bash, command }: UncheckedObject): string => stringOr(bash) || stringOr(command);

/** Why a group cannot be adopted; null if it can. */
export function reasonToStay(agent: Agent, { event, group }: HandlerGroup): string | null {
  const form = formOf(agent);
  const handlers = form.handlersIn(group);
  const isCommand = (one: unknown): boolean =>
    isObject(one) && (one.type ?? "command") === "command" && commandIn(one) !== "";
  if (findEvent(form.eventOf(event)) === null) return "hookctl has no such event";
  if (!handlers.every(isCommand)) return form.onlyCommands;
  const all = handlers.map(objectOr);
  const strange = all.flatMap(Object.keys).find((key) => !form.isConvertible(key));
  if (strange !== undefined) return `"${strange}" has no equivalent in hookctl's settings`;
  if (all.some(({ async: isAsync }) => isAsync === true)) return "it is asynchronous";
  const folders = all.map(({ cwd }) => stringOr(cwd));
  if (folders.some((folder) => folder.startsWith("/") || folder.split("/").includes("..")))
    return "it runs outside the project";
  const hasMatch = adoptedMatch(agent, event, stringOr(group.matcher)) !== undefined;
  return hasMatch ? null : "its matcher has no equivalent in `match`";
}

/** Converts a handler. The command runs in the same folder and with the same variables as it did under the agent. */
export function adoptedHook(
  agent: Agent,
  { event, group, handler, name }: HandlerGroup & { readonly handler: UncheckedObject; readonly name: string },
): AdoptedHook {
  const form = formOf(agent);
  const command = commandIn(handler);
  const match = adoptedMatch(agent, event, stringOr(group.matcher));
  const folder = stringOr(handler.cwd).replace(/^\.\/?/, "");
  const projectVariables = variablesOfProject(agent);
  const exports = projectVariables.map((variable) => `${variable}="$HOOKCTL_PROJECT_DIR"`).join(" ");
  const path = folder === "" ? '"$HOOKCTL_PROJECT_DIR"' : `"$HOOKCTL_PROJECT_DIR"/${shellQuote(folder)}`;
  const files = filesIn(command, projectVariables).map((file) => (folder === "" ? file : `${folder}/${file}`));
  const entry = {
    name,
    command: `export ${exports}; cd ${path} || exit 1\n${command}`,
    ...(match == null ? {} : { match }),
    timeout: adoptedTimeout(handler.timeoutSec ?? handler.timeout, form.defaultSeconds),
    ...(files.length === 0 ? {} : { files }),
  };
  const variables = variablesIn(command).filter((variable) => !projectVariables.includes(variable));
  return { on: form.eventOf(event), name, entry, command, variables };
}

/** Claude Code's variable, which similar agents set as well, and the agent's own. */
const variablesOfProject = ({ projectVariable }: Agent): readonly string[] => [
  ...new Set(["CLAUDE_PROJECT_DIR", ...(projectVariable === null ? [] : [projectVariable])]),
];

const LONGEST_SECONDS = 24 * 60 * 60;

function adoptedTimeout(seconds: unknown, defaultSeconds: number): string {
  const isLimit = typeof seconds === "number" && seconds > 0;
  const ms = Math.max(1, Math.round(Math.min(isLimit ? seconds : defaultSeconds, LONGEST_SECONDS) * 1000));
  return ms % 1000 === 0 ? `${ms / 1000}s` : `${ms}ms`;
}

/** The field that the matcher of an event selects by. */
const MATCHED_FIELDS: Readonly<Record<string, string>> = {
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
function adoptedMatch(
  agent: Agent,
  event: string,
  matcher: string,
): Record<string, readonly string[]> | null | undefined {
  const field = ownValue(MATCHED_FIELDS, event);
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
