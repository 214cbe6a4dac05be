import { dirname, join } from "node:path";
import type { Host } from "../../../../src/engine/host.ts";
import { isAllowedVariable } from "../../../../src/process/filter-environment.ts";
import { findEvent } from "../../../../src/protocol/event.ts";
import { arrayOr, isObject, objectOr, stringOr } from "../../../../src/protocol/json/read.ts";
import { ProblemError } from "../../../../src/protocol/result.ts";
import type { Agent } from "../../../agents/agent.ts";
import type { AdoptableHooks } from "../../../agents/agent-install.ts";
import { AGENT_INSTALLS } from "../../../agents/agents.ts";
import { neededRegistrations } from "../create-registrations.ts";
import { isHookctlCommand, parseSettingsText } from "../find-registrations.ts";
import { type HookRequirements, withMoreEvents } from "../hook-requirements.ts";
import type { InstallTarget } from "../install-target.ts";
import { addRegistrations } from "../registrations-in-text.ts";
import { addHookEntries, hookEntriesIn, removeChild } from "../settings-file/edit-json.ts";
import { presentText, type SettingsWrite } from "../settings-file/write-settings-files.ts";
import {
  type AdoptedHook,
  type AgentHook,
  adoptClaudeHook,
  adoptCopilotHook,
  adoptedMatch,
  copilotReasonToKeep,
} from "./convert-hooks.ts";
import {
  checkNoConflict,
  checkReadable,
  checkSafeLocation,
  checkSettingsText,
  type HookctlSettings,
  otherHookFiles,
  type SettingsSource,
} from "./hookctl-settings.ts";
import { revertEntries } from "./undo-adoption.ts";

export interface PreparedAdoption {
  readonly adoption: Adoption;
  /** Empty if there is nothing to adopt. */
  readonly writes: readonly (SettingsWrite & { readonly shown: string })[];
}

interface AdoptionInput {
  /** The requirements of the hooks that hookctl already has. */
  readonly requirements: HookRequirements;
  readonly program: string;
  readonly host: Host;
}

const NO_ADOPTION: Adoption = { adopted: [], left: "", kept: [] };

/** The files to write, after checking that the adopted hooks will be allowed to run from hookctl's settings. */
export function prepareAdoption(
  target: InstallTarget,
  settings: HookctlSettings,
  { requirements, program, host }: AdoptionInput,
): PreparedAdoption {
  const { agent, format, root, shown } = target;
  checkReadable(target, target);
  const names = hookEntriesIn(settings.text ?? "").map(({ value }) => String(value.name));
  const found = format === "json" ? adoptHooks(target.text ?? "", agent, names) : NO_ADOPTION;
  const inOtherFiles = adoptOtherFiles(target, [...names, ...found.adopted.map(({ name }) => name)]);
  const others = inOtherFiles.filter(({ adopted }) => adopted.length > 0);
  const adoption = {
    ...found,
    adopted: [...found.adopted, ...others.flatMap(({ adopted }) => adopted)],
    kept: [...found.kept, ...inOtherFiles.flatMap(({ kept }) => kept), ...keptInTomlFile(target)],
  };
  if (adoption.adopted.length === 0) return { adoption, writes: [] };

  checkNoConflict(settings, target, host);
  checkSafeLocation(settings, target, host);
  const entries = adoption.adopted.map(({ on, entry }) => ({ on, value: entry }));
  const entriesText = addHookEntries(settings.text ?? "", entries, { version: 1 });
  checkSettingsText(entriesText, settings, target);
  const events = adoption.adopted.flatMap(({ on }) => findEvent(on)?.event ?? []);
  const request = { events: null, mode: null, needs: withMoreEvents(requirements, events), program };
  const registrations = neededRegistrations({ ...target, text: adoption.left }, request);
  const agentText = addRegistrations(adoption.left, target, registrations);
  if (!agentText.ok) throw new ProblemError({ code: "AGENT_SETTINGS_NOT_PARSED", path: shown, ...agentText.error });
  const write = ({ file, shown: shownAs, text }: SettingsSource, after: string) => {
    const removeOurs = revertEntries(file, target, host);
    return { file, root, shown: shownAs, before: text, after, removeOurs };
  };
  // hookctl's settings are written first: until then a guard runs twice, which is better than not at all.
  return {
    adoption,
    writes: [
      write(settings, entriesText),
      write(target, agentText.value),
      ...others.map(({ source, left }) => write(source, left)),
    ],
  };
}

/** The adoption of each other file from which the agent reads hooks. */
function adoptOtherFiles(
  target: InstallTarget,
  names: readonly string[],
): readonly (Adoption & { readonly source: SettingsSource })[] {
  const taken = [...names];
  return otherHookFiles(target).map((source) => {
    checkReadable(target, source);
    const found = adoptHooks(source.text ?? "", target.agent, taken);
    taken.push(...found.adopted.map(({ name }) => name));
    return { ...found, kept: found.kept.map((why) => `${source.shown}: ${why}`), source };
  });
}

/** The hooks in the agent's TOML file, which stay there, each with the reason. */
function keptInTomlFile({ agent, file, shown }: InstallTarget): readonly string[] {
  const { tomlFile } = agent.settings;
  if (tomlFile === undefined) return [];
  const path = join(dirname(file), tomlFile);
  const text = presentText(path, path);
  return text.ok ? keptTomlHooks(text.value ?? "", agent, join(dirname(shown), tomlFile)) : [];
}

/** The variables that each hook got from the agent's environment and that a project's hook does not get. */
export const missingVariables = (adopted: readonly AdoptedHook[], envAllow: readonly string[]) =>
  adopted
    .map(({ name, variables }) => ({ name, variables: variables.filter((one) => !isAllowedVariable(one, envAllow)) }))
    .filter(({ variables }) => variables.length > 0);

interface Adoption {
  readonly adopted: readonly AdoptedHook[];
  /** The settings without the adopted hooks. */
  readonly left: string;
  /** The hooks that stay, each with the reason. */
  readonly kept: readonly string[];
}

/** The format of an agent's hooks, and their conversion. */
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
  const { hooks } = parseSettingsText(text, "json");
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
function keptTomlHooks(text: string, agent: Agent, shown: string): readonly string[] {
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
