import type { Agent } from "../../agents/agent.ts";
import { findEvent } from "../../protocol/event.ts";
import { stringOr, type UncheckedObject } from "../../protocol/json/read.ts";
import { type AdoptedHook, type AgentHook, adoptedEntry, adoptedTimeout } from "./claude-hooks.ts";

/** Copilot's default timeout. */
const DEFAULT_SECONDS = 30;

/** Converts a handler of `.github/hooks/*.json`. Of its two commands it takes the one for a POSIX shell. */
export function adoptCopilotHook(agent: Agent, { event, handler, name }: AgentHook): AdoptedHook {
  return adoptedEntry(agent, {
    on: nameFor(event),
    name,
    command: commandIn(handler),
    folder: stringOr(handler.cwd).replace(/^\.\/?/, ""),
    rest: { timeout: adoptedTimeout(handler.timeoutSec ?? handler.timeout, DEFAULT_SECONDS) },
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

/** Why a handler cannot be adopted; null: it can. */
export function copilotReasonToKeep(event: string, handler: UncheckedObject): string | null {
  if (findEvent(nameFor(event)) === null) return "hookctl has no such event";
  if ((handler.type ?? "command") !== "command" || commandIn(handler) === "")
    return "only shell commands can be migrated";
  const strange = Object.keys(handler).find((key) => !KNOWN.includes(key));
  if (strange !== undefined) return `"${strange}" has no equivalent in hookctl's settings`;
  const folder = stringOr(handler.cwd);
  return folder.startsWith("/") || folder.split("/").includes("..") ? "it runs outside the project" : null;
}
