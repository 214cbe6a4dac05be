import { parse } from "jsonc-parser";
import { findEvent } from "../contract/event.ts";
import { AGENTS } from "../dialects/agents/agents.ts";
import { type Found, isObject, textOf } from "./found.ts";
import { appended, removed } from "./json-text-edit.ts";

/** One hook of an agent's settings as an entry of ours. */
export interface Adopted {
  /** The event in Claude Code's dialect. */
  readonly on: string;
  readonly entry: Readonly<Record<string, unknown>>;
  /** As it stood in the agent's settings. */
  readonly command: string;
}

export interface Adoption {
  readonly adopted: readonly Adopted[];
  /** The settings without what was taken over. */
  readonly left: string;
  /** What stays where it is, and why. */
  readonly kept: readonly string[];
}

/** The command hooks of settings that have Claude Code's shape, as entries of ours. `isOurs` tells our own lines. */
export function adoption(text: string, agent: string, isOurs: (command: string) => boolean): Adoption {
  const adopted: Adopted[] = [];
  const kept: string[] = [];
  let left = text;
  const hooks: unknown = Object(parse(text, [], { allowTrailingComma: true })).hooks;
  for (const [event, groups] of Object.entries(isObject(hooks) ? hooks : {})) {
    const list = Array.isArray(groups) ? groups : [];
    const taken: number[] = [];
    for (const [index, group] of list.entries()) {
      const handlers: readonly unknown[] = isObject(group) && Array.isArray(group.hooks) ? group.hooks : [];
      const commands = handlers.filter(isObject).map(({ command }) => textOf(command));
      if (handlers.length === 0 || commands.some(isOurs)) continue;
      const why = reasonToLeave(event, group, handlers);
      if (why !== null) {
        kept.push(`${event}: ${why}`);
        continue;
      }
      taken.push(index);
      for (const handler of handlers.filter(isObject)) {
        adopted.push(entryOf(event, group, handler, `${agent}-${event}-${adopted.length + 1}`));
      }
    }
    left = withoutGroups(left, event, taken, list.length);
  }
  return { adopted, left, kept };
}

function withoutGroups(text: string, event: string, taken: readonly number[], count: number): string {
  if (taken.length === 0) return text;
  if (taken.length === count) return removed(text, ["hooks", event]);
  return [...taken].reverse().reduce((all, index) => removed(all, ["hooks", event, index]), text);
}

function reasonToLeave(event: string, group: unknown, handlers: readonly unknown[]): string | null {
  if (findEvent(`claude:${event}`) === null) return "hookctl has no such event";
  const strange = handlers.find(
    (one) => !isObject(one) || (one.type ?? "command") !== "command" || Array.isArray(one.args),
  );
  if (strange !== undefined) return "only commands can be taken over";
  if (handlers.some((one) => isObject(one) && one.async === true)) return "it does not wait for the answer";
  return matchOf(event, isObject(group) ? textOf(group.matcher) : "") === undefined
    ? "its matcher is a pattern that match cannot say"
    : null;
}

function entryOf(event: string, group: unknown, handler: Found, name: string): Adopted {
  const command = textOf(handler.command);
  const match = matchOf(event, isObject(group) ? textOf(group.matcher) : "");
  const files = filesIn(command);
  const entry = {
    name,
    command: `export CLAUDE_PROJECT_DIR="$HOOKCTL_PROJECT_DIR"; cd "$CLAUDE_PROJECT_DIR" || exit 1\n${command}`,
    ...(match == null ? {} : { match }),
    ...(typeof handler.timeout === "number" && handler.timeout > 0 ? { timeout: `${handler.timeout}s` } : {}),
    ...(files.length === 0 ? {} : { files }),
  };
  return { on: `claude:${event}`, entry, command };
}

const FIELDS: Readonly<Record<string, string>> = {
  ...{
    PreToolUse: "tool_name",
    PostToolUse: "tool_name",
    PostToolUseFailure: "tool_name",
    PermissionRequest: "tool_name",
  },
  ...{
    SessionStart: "source",
    SessionEnd: "reason",
    PreCompact: "trigger",
    PostCompact: "trigger",
    Notification: "kind",
  },
};

/**
 * A matcher as `match`: a list of names, which for tools are those of every agent's like. Null: it matches everything.
 * Undefined: it is a pattern that `match` cannot say, and such a hook must not run more or less often than before.
 */
function matchOf(event: string, matcher: string): Record<string, readonly string[]> | null | undefined {
  const field = FIELDS[event];
  if (matcher === "" || matcher === "*" || field === undefined) return null;
  const names = matcher.split(/[|,]/).map((name) => name.trim().replace(/\.\*$/, "*"));
  if (names.some((name) => !/^[\w -]+\*?$/.test(name))) return undefined;
  return { [field]: field === "tool_name" ? [...new Set(names.flatMap(sameTools))] : names };
}

function sameTools(name: string): readonly string[] {
  const kind = Object.hasOwn(AGENTS.claude.tools, name) ? AGENTS.claude.tools[name] : undefined;
  if (kind === undefined) return [name];
  const others = Object.values(AGENTS).filter(
    (agent) => agent.name !== "claude" && agent.name !== "copilot" && agent.name !== "droid",
  );
  return [
    name,
    ...others.flatMap(({ tools }) => Object.entries(tools).flatMap(([tool, one]) => (one === kind ? [tool] : []))),
  ];
}

/** The files of the project that a command names: an approval covers them. */
function filesIn(command: string): readonly string[] {
  const words = command.split(/[\s;|&<>()]+/).map((word) => word.replace(/["']/g, ""));
  const below = words.flatMap(
    (word) => /^(?:\$\{?CLAUDE_PROJECT_DIR\}?\/|\.\/)?(\.?[\w@+-][\w@+./-]*)$/.exec(word)?.[1] ?? [],
  );
  return [...new Set(below.filter((path) => path.includes("/")))];
}

/** A settings file of ours with the entries behind its own. */
export function withEntries(text: string, adopted: readonly Adopted[]): string {
  if (text.trim() === "") {
    const hooks: Record<string, unknown[]> = {};
    for (const { on, entry } of adopted) hooks[on] = [...(hooks[on] ?? []), entry];
    return `${JSON.stringify({ version: 1, hooks }, null, 2)}\n`;
  }
  let body = text;
  const hooksOf = (): unknown => Object(parse(body, [], { allowTrailingComma: true })).hooks;
  if (hooksOf() === undefined) body = appended(body, [], {}, "hooks");
  for (const { on, entry } of adopted) {
    const hooks = hooksOf();
    if (Array.isArray(hooks)) body = appended(body, ["hooks"], { on, ...entry });
    else if (isObject(hooks) && Object.hasOwn(hooks, on)) body = appended(body, ["hooks", on], entry);
    else body = appended(body, ["hooks"], [entry], on);
  }
  return body;
}
