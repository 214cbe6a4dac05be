import { dirname, join } from "node:path";
import type { Host } from "../../../../src/engine/host.ts";
import { isAllowedVariable } from "../../../../src/process/filter-environment.ts";
import { findEvent } from "../../../../src/protocol/event.ts";
import { arrayOr, isObject, objectOr, stringOr } from "../../../../src/protocol/json/read.ts";
import type { Agent } from "../../../agents/agent.ts";
import { neededRegistrations } from "../create-registrations.ts";
import { isHookctlCommand, parseSettingsText } from "../find-registrations.ts";
import { type HookRequirements, withMoreEvents } from "../hook-requirements.ts";
import { type InstallTarget, isCovered } from "../install-target.ts";
import { addHookEntries, hookEntriesIn, removeChild } from "../settings-file/edit-json.ts";
import { presentText, type SettingsWrite } from "../settings-file/write-settings-files.ts";
import { addRegistrations } from "../write-registrations.ts";
import { type AdoptedHook, adoptedHook, handlersToAdopt, reasonToStay } from "./convert-hooks.ts";
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

/**
 * The files to write, after checking that the adopted hooks will be allowed to run from hookctl's settings. `requirements`
 * are those of the hooks that hookctl already has.
 */
export function prepareAdoption(
  target: InstallTarget,
  settings: HookctlSettings,
  {
    requirements,
    program,
    host,
  }: { readonly requirements: HookRequirements; readonly program: string; readonly host: Host },
): PreparedAdoption {
  const taken = hookEntriesIn(settings.text ?? "").map(({ value }) => String(value.name));
  const adoptFrom = (source: SettingsSource): Adoption => {
    const found = adoptHooks(source.text ?? "", target.agent, taken);
    taken.push(...found.adopted.map(({ name }) => name));
    return found;
  };
  checkReadable(target, target);
  const main = target.format === "json" ? adoptFrom(target) : { adopted: [], left: "", kept: [] };
  const others = otherHookFiles(target).map((source) => {
    checkReadable(target, source);
    return { source, ...adoptFrom(source) };
  });
  const adopted = [main, ...others].flatMap((one) => one.adopted);
  const kept = [
    ...main.kept,
    ...others.flatMap(({ source, kept: reasons }) => reasons.map((reason) => `${source.shown}: ${reason}`)),
    ...keptInTomlFile(target),
  ];
  const adoption = { adopted, left: main.left, kept };
  if (adopted.length === 0) return { adoption, writes: [] };

  checkNoConflict(settings, target, host);
  checkSafeLocation(settings, target, host);
  const entries = adopted.map(({ on, entry }) => ({ on, value: entry }));
  const entriesText = addHookEntries(settings.text ?? "", entries, { version: 1 });
  checkSettingsText(entriesText, settings, target);
  const needs = withMoreEvents(
    requirements,
    adopted.flatMap(({ on }) => findEvent(on)?.event ?? []),
  );
  const request = { events: null, mode: null, needs, program };
  const registrations = neededRegistrations({ ...target, text: main.left }, request);
  const write = ({ file, shown, text }: SettingsSource, after: string) => {
    return { file, root: target.root, shown, before: text, after, removeOurs: revertEntries(file, target, host) };
  };
  // hookctl's settings are written first: until then a guard runs twice, which is better than not at all.
  return {
    adoption,
    writes: [
      write(settings, entriesText),
      write(target, isCovered(target, host) ? main.left : addRegistrations(main.left, target, registrations)),
      ...others.filter((other) => other.adopted.length > 0).map(({ source, left }) => write(source, left)),
    ],
  };
}

/** The hooks in the agent's TOML file, which `adopt` does not edit, each with the reason. */
function keptInTomlFile({ agent, file, shown }: InstallTarget): readonly string[] {
  const { tomlFile } = agent.settings;
  if (tomlFile === undefined) return [];
  const path = join(dirname(file), tomlFile);
  const text = presentText(path, path);
  const { state: _state, ...events } = objectOr(parseSettingsText(text.ok ? (text.value ?? "") : "", "toml").hooks);
  return Object.entries(events)
    .filter(([, groups]) => arrayOr(groups).some((group) => !isOurs(arrayOr(objectOr(group).hooks), agent)))
    .map(([event]) => `${event}: it is in ${join(dirname(shown), tomlFile)}; adopt moves hooks of JSON files only`);
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
  for (const [event, groups] of Object.entries(objectOr(parseSettingsText(text, "json").hooks))) {
    const indexes: number[] = [];
    for (const [index, group] of arrayOr(groups).entries()) {
      const handlers = isObject(group) ? handlersToAdopt(agent, group) : [];
      if (!isObject(group) || handlers.length === 0 || isOurs(handlers, agent)) continue;
      const why = handlers.some((handler) => isOwn(handler, agent))
        ? "it is in the same group as hookctl's registration"
        : reasonToStay(agent, { event, group });
      if (why !== null) {
        kept.push(`${event}: ${why}`);
        continue;
      }
      indexes.push(index);
      for (const handler of handlers.map(objectOr)) {
        adopted.push(adoptedHook(agent, { event, group, handler, name: nameFor(event) }));
      }
    }
    left = withoutGroups(left, event, indexes, arrayOr(groups).length);
  }
  return { adopted, left, kept };
}

const isOwn = (handler: unknown, { name }: Agent): boolean =>
  isHookctlCommand(stringOr(objectOr(handler).command), name);
const isOurs = (handlers: readonly unknown[], agent: Agent): boolean => handlers.every((one) => isOwn(one, agent));

function withoutGroups(text: string, event: string, taken: readonly number[], count: number): string {
  if (taken.length === 0) return text;
  if (taken.length === count) return removeChild(text, ["hooks", event]);
  return taken.toReversed().reduce((all, index) => removeChild(all, ["hooks", event, index]), text);
}
