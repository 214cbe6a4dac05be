import { parse } from "jsonc-parser";
import type { Agent } from "../agents/agent.ts";
import { findEvent } from "../protocol/event.ts";
import { copilotEntryOf, reasonToLeaveAtCopilot } from "./adopted-copilot.ts";
import { type Adopted, entryOf, type FoundHook, matchOf } from "./adopted-entry.ts";
import { isOurLine } from "./bridge-line.ts";
import { isObject, listOf, recordOf, textOf } from "./found.ts";
import { removed } from "./json-text-edit.ts";
import { settingsIn } from "./our-lines.ts";

export interface Adoption {
  readonly adopted: readonly Adopted[];
  /** The settings without what was taken over. */
  readonly left: string;
  /** What stays where it is, and why. */
  readonly kept: readonly string[];
}

/** How an agent writes a hook, and what becomes of it. */
interface Shape {
  readonly handlersIn: (group: unknown) => readonly unknown[];
  readonly reasonToLeave: (event: string, group: unknown, handlers: readonly unknown[], agent: Agent) => string | null;
  readonly entryOf: (agent: Agent, found: FoundHook) => Adopted;
}

const CLAUDE_SHAPE: Shape = {
  handlersIn: (group) => listOf(recordOf(group).hooks),
  reasonToLeave,
  entryOf,
};

/** Copilot has its handlers in no groups. */
const COPILOT_SHAPE: Shape = {
  handlersIn: (handler) => [handler],
  reasonToLeave: (event, _group, [handler]) => reasonToLeaveAtCopilot(event, recordOf(handler)),
  entryOf: copilotEntryOf,
};

const shapeOf = ({ name }: Agent): Shape => (name === "copilot" ? COPILOT_SHAPE : CLAUDE_SHAPE);

/** The command hooks of an agent's settings as entries of ours. `taken` are names of other entries. */
export function adoption(text: string, agent: Agent, taken: readonly string[]): Adoption {
  const adopted: Adopted[] = [];
  const kept: string[] = [];
  const nameFor = (event: string): string => {
    const names = [...taken, ...adopted.map(({ name }) => name)];
    let number = adopted.length + 1;
    while (names.includes(`${agent.name}-${event}-${number}`)) number++;
    return `${agent.name}-${event}-${number}`;
  };
  let left = text;
  const { hooks } = recordOf(parse(text.replace(/^\ufeff/, ""), [], { allowTrailingComma: true }));
  const shape = shapeOf(agent);
  for (const [event, list] of Object.entries(recordOf(hooks))) {
    const indexes: number[] = [];
    for (const [index, group] of listOf(list).entries()) {
      const handlers = shape.handlersIn(group);
      if (!isObject(group) || handlers.length === 0 || isOurs(handlers, agent)) continue;
      const why = shape.reasonToLeave(event, group, handlers, agent);
      if (why !== null) {
        kept.push(`${event}: ${why}`);
        continue;
      }
      indexes.push(index);
      for (const handler of handlers.map(recordOf)) {
        adopted.push(shape.entryOf(agent, { event, group, handler, name: nameFor(event) }));
      }
    }
    left = withoutGroups(left, event, indexes, listOf(list).length);
  }
  return { adopted, left, kept };
}

/** Hooks of somebody else in Codex's config.toml, which adopt does not edit: by their events, each with why. */
export function keptInToml(text: string, agent: Agent, shown: string): readonly string[] {
  const { state: _state, ...events } = recordOf(settingsIn(text, "toml").hooks);
  return Object.entries(events)
    .filter(([, groups]) => listOf(groups).some((group) => !isOurs(listOf(recordOf(group).hooks), agent)))
    .map(([event]) => `${event}: it is in ${shown}; adopt moves hooks of JSON files only`);
}

const isOwn = (handler: unknown, { name }: Agent): boolean => isOurLine(textOf(recordOf(handler).command), name);
const isOurs = (handlers: readonly unknown[], agent: Agent): boolean => handlers.every((one) => isOwn(one, agent));

function withoutGroups(text: string, event: string, taken: readonly number[], count: number): string {
  if (taken.length === 0) return text;
  if (taken.length === count) return removed(text, ["hooks", event]);
  return [...taken].reverse().reduce((all, index) => removed(all, ["hooks", event, index]), text);
}

/** What a handler may say: anything else, such as a rule that it is asked under, would be lost on the way. */
const SAYABLE = ["type", "command", "timeout", "async", "name", "description", "statusMessage"];

function reasonToLeave(event: string, group: unknown, handlers: readonly unknown[], agent: Agent): string | null {
  if (handlers.some((one) => isOwn(one, agent))) return "it stands in one group with hookctl's own line";
  if (findEvent(`claude:${event}`) === null) return "hookctl has no such event";
  if (handlers.some((one) => !isObject(one) || (one.type ?? "command") !== "command" || textOf(one.command) === "")) {
    return "only commands can be taken over";
  }
  const strange = handlers.flatMap((one) => Object.keys(recordOf(one))).find((key) => !SAYABLE.includes(key));
  if (strange !== undefined) return `"${strange}" cannot be said in hookctl's settings`;
  if (handlers.some((one) => recordOf(one).async === true)) return "it does not wait for the answer";
  return matchOf(agent, event, textOf(recordOf(group).matcher)) === undefined
    ? "its matcher is a pattern that match cannot say"
    : null;
}
