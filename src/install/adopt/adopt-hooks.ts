import { parse } from "jsonc-parser";
import type { Agent } from "../../agents/agent.ts";
import type { AdoptableHooks } from "../../agents/agent-install.ts";
import { AGENT_INSTALLS } from "../../agents/agents.ts";
import { findEvent } from "../../protocol/event.ts";
import { arrayOr, isObject, objectOr, stringOr } from "../../protocol/json/read.ts";
import { isHookctlCommand } from "../create-registrations.ts";
import { parseSettingsText } from "../registrations-in-text.ts";
import { removeChild } from "../settings-file/edit-json.ts";
import {
  type AdoptedHook,
  type AgentHook,
  adoptClaudeHook,
  adoptCopilotHook,
  adoptedMatch,
  copilotReasonToKeep,
} from "./convert-hooks.ts";

export interface Adoption {
  readonly adopted: readonly AdoptedHook[];
  /** The settings without the adopted hooks. */
  readonly left: string;
  /** The hooks that stay, each with the reason. */
  readonly kept: readonly string[];
}

/** How an agent writes hooks, and how they are converted. */
interface HookShape {
  readonly handlersIn: (group: unknown) => readonly unknown[];
  readonly claudeReasonToKeep: (
    event: string,
    group: unknown,
    handlers: readonly unknown[],
    agent: Agent,
  ) => string | null;
  readonly entryOf: (agent: Agent, found: AgentHook) => AdoptedHook;
}

const CLAUDE_SHAPE: HookShape = {
  handlersIn: (group) => arrayOr(objectOr(group).hooks),
  claudeReasonToKeep: reasonToLeave,
  entryOf: adoptClaudeHook,
};

/** Copilot has handlers without groups. */
const COPILOT_SHAPE: HookShape = {
  handlersIn: (handler) => [handler],
  claudeReasonToKeep: (event, _group, [handler]) => copilotReasonToKeep(event, objectOr(handler)),
  entryOf: adoptCopilotHook,
};

const HOOK_SHAPES: Readonly<Record<AdoptableHooks, HookShape>> = { grouped: CLAUDE_SHAPE, flat: COPILOT_SHAPE };

const shapeOf = ({ name }: Agent): HookShape => HOOK_SHAPES[AGENT_INSTALLS[name].adoptableHooks ?? "grouped"];

/** Converts the command hooks in an agent's settings to entries of hookctl. `taken` are the names in use. */
export function adoptHooks(text: string, agent: Agent, taken: readonly string[]): Adoption {
  const adopted: AdoptedHook[] = [];
  const kept: string[] = [];
  const nameFor = (event: string): string => {
    const names = [...taken, ...adopted.map(({ name }) => name)];
    let number = adopted.length + 1;
    while (names.includes(`${agent.name}-${event}-${number}`)) number++;
    return `${agent.name}-${event}-${number}`;
  };
  let left = text;
  const { hooks } = objectOr(parse(text.replace(/^\ufeff/, ""), [], { allowTrailingComma: true }));
  const shape = shapeOf(agent);
  for (const [event, list] of Object.entries(objectOr(hooks))) {
    const indexes: number[] = [];
    for (const [index, group] of arrayOr(list).entries()) {
      const handlers = shape.handlersIn(group);
      if (!isObject(group) || handlers.length === 0 || isOurs(handlers, agent)) continue;
      const why = shape.claudeReasonToKeep(event, group, handlers, agent);
      if (why !== null) {
        kept.push(`${event}: ${why}`);
        continue;
      }
      indexes.push(index);
      for (const handler of handlers.map(objectOr)) {
        adopted.push(shape.entryOf(agent, { event, group, handler, name: nameFor(event) }));
      }
    }
    left = withoutGroups(left, event, indexes, arrayOr(list).length);
  }
  return { adopted, left, kept };
}

/** The hooks in a TOML file, which adopt does not edit, each with the reason. */
export function keptTomlHooks(text: string, agent: Agent, shown: string): readonly string[] {
  const { state: _state, ...events } = objectOr(parseSettingsText(text, "toml").hooks);
  return Object.entries(events)
    .filter(([, groups]) => arrayOr(groups).some((group) => !isOurs(arrayOr(objectOr(group).hooks), agent)))
    .map(([event]) => `${event}: it is in ${shown}; adopt moves hooks of JSON files only`);
}

const isOwn = (handler: unknown, { name }: Agent): boolean =>
  isHookctlCommand(stringOr(objectOr(handler).command), name);
const isOurs = (handlers: readonly unknown[], agent: Agent): boolean => handlers.every((one) => isOwn(one, agent));

function withoutGroups(text: string, event: string, taken: readonly number[], count: number): string {
  if (taken.length === 0) return text;
  if (taken.length === count) return removeChild(text, ["hooks", event]);
  return [...taken].reverse().reduce((all, index) => removeChild(all, ["hooks", event, index]), text);
}

/** The keys that can be converted: a handler with any other key would lose it. */
const SAYABLE = ["type", "command", "timeout", "async", "name", "description", "statusMessage"];

/** A settings file of JSON has no other comments: `_comment`, `$comment`, `//`. */
const isComment = (key: string): boolean => /^[_$]?comment$|^_|^\/\//.test(key);

function reasonToLeave(event: string, group: unknown, handlers: readonly unknown[], agent: Agent): string | null {
  if (handlers.some((one) => isOwn(one, agent))) return "it is in the same group as hookctl's registration";
  if (findEvent(`claude:${event}`) === null) return "hookctl has no such event";
  if (handlers.some((one) => !isObject(one) || (one.type ?? "command") !== "command" || stringOr(one.command) === "")) {
    return "only command hooks can be";
  }
  const strange = handlers
    .flatMap((one) => Object.keys(objectOr(one)))
    .find((key) => !SAYABLE.includes(key) && !isComment(key));
  if (strange !== undefined) return `"${strange}" has no equivalent in hookctl's settings`;
  if (handlers.some((one) => objectOr(one).async === true)) return "it is asynchronous";
  return adoptedMatch(agent, event, stringOr(objectOr(group).matcher)) === undefined
    ? "its matcher has no equivalent in `match`"
    : null;
}
