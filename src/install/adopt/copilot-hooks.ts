import type { Agent } from "../../agents/agent.ts";
import { findEvent } from "../../protocol/event.ts";
import { stringOr, type UncheckedObject } from "../../protocol/json/unchecked.ts";
import { type AdoptedHook, type AgentHook, adoptedEntry, adoptedTimeout } from "./claude-hooks.ts";

/** What Copilot lets a hook have that names no limit. */
const DEFAULT_SECONDS = 30;

/** A handler of `.github/hooks/*.json` as an entry of ours. Of its two commands the one for a POSIX shell is taken. */
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

/** Under a PascalCase name Copilot sends what Claude Code would send. */
const nameFor = (event: string): string => (/^[A-Z]/.test(event) ? `claude:${event}` : `copilot:${event}`);

/** What a handler may have: anything else would be lost on the way. */
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

/** Why a handler stays where it is; null: it can be taken over. */
export function copilotReasonToKeep(event: string, handler: UncheckedObject): string | null {
  if (findEvent(nameFor(event)) === null) return "hookctl has no such event";
  if ((handler.type ?? "command") !== "command" || commandIn(handler) === "")
    return "only shell commands can be migrated";
  const strange = Object.keys(handler).find((key) => !KNOWN.includes(key));
  if (strange !== undefined) return `"${strange}" has no equivalent in hookctl's settings`;
  const folder = stringOr(handler.cwd);
  return folder.startsWith("/") || folder.split("/").includes("..") ? "it runs outside the project" : null;
}
