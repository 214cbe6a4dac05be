import { dirname, join } from "node:path";
import type { Host } from "../../host.ts";
import { isAllowedVariable } from "../../process/filter-environment.ts";
import { findEvent } from "../../protocol/event.ts";
import type { Problem } from "../../protocol/problem.ts";
import { fail, ok, type Result } from "../../protocol/result.ts";
import { parseDuration } from "../../protocol/text/units.ts";
import { neededRegistrations } from "../create-registrations.ts";
import { type HookRequirements, withMoreHooks } from "../hook-requirements.ts";
import type { InstallTarget } from "../install-target.ts";
import { addRegistrations } from "../registrations-in-text.ts";
import { addHookEntries, hookEntriesIn } from "../settings-file/hook-entries.ts";
import { presentText, type SettingsWrite } from "../settings-file/write-settings-files.ts";
import { type Adoption, adoptHooks, keptTomlHooks } from "./adopt-hooks.ts";
import type { AdoptedHook } from "./convert-hooks.ts";
import { checkSettingsText, conflictingSettings, type HookctlSettings, unsafeLocation } from "./hookctl-settings.ts";
import { checkReadable, otherHookFiles, type SettingsSource } from "./other-hook-files.ts";
import { withAdoptedHooksBack, withoutAdoptedEntries } from "./undo-adoption.ts";

export interface PreparedAdoption {
  readonly adoption: Adoption;
  /** Empty if there is nothing to adopt. */
  readonly writes: readonly (SettingsWrite & { readonly shown: string })[];
}

export interface AdoptionInput {
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
): Result<PreparedAdoption, Problem> {
  const { agent, format, root, shown } = target;
  const readable = checkReadable(target, target);
  if (!readable.ok) return readable;
  const names = hookEntriesIn(settings.text ?? "").map(({ value }) => String(value.name));
  const found = format === "json" ? adoptHooks(target.text ?? "", agent, names) : NO_ADOPTION;
  const inOtherFiles = adoptOtherFiles(target, [...names, ...found.adopted.map(({ name }) => name)]);
  if (!inOtherFiles.ok) return inOtherFiles;
  const others = inOtherFiles.value.filter(({ adopted }) => adopted.length > 0);
  const adoption = {
    ...found,
    adopted: [...found.adopted, ...others.flatMap(({ adopted }) => adopted)],
    kept: [...found.kept, ...inOtherFiles.value.flatMap(({ kept }) => kept), ...keptInTomlFile(target)],
  };
  if (adoption.adopted.length === 0) return ok({ adoption, writes: [] });

  const refusal = conflictingSettings(settings, target, host) ?? unsafeLocation(settings, target, host);
  if (refusal !== null) return fail(refusal);
  const entries = adoption.adopted.map(({ on, entry }) => ({ on, value: entry }));
  const entriesText = checkSettingsText(addHookEntries(settings.text ?? "", entries, { version: 1 }), settings, target);
  if (!entriesText.ok) return entriesText;
  // The timeout to register follows the timeouts that the hooks had.
  const request = {
    events: null,
    mode: null,
    needs: withMoreHooks(requirements, adoption.adopted.map(requirementOf)),
    program,
  };
  const registrations = neededRegistrations({ ...target, text: adoption.left }, request);
  const agentText = addRegistrations(adoption.left, { name: agent.name, format }, registrations);
  if (!agentText.ok) return fail({ code: "AGENT_SETTINGS_NOT_PARSED", path: shown, ...agentText.error });
  const own = { ...settings, root, before: settings.text, after: entriesText.value, removeOurs: withoutAdoptedEntries };
  const withoutHooks = [{ source: target, left: agentText.value }, ...others].map(({ source, left }) => {
    const { file, shown: shownAs, text } = source;
    const removeOurs = withAdoptedHooksBack({ ...target, ...source }, host);
    return { file, root, shown: shownAs, before: text, after: left, removeOurs };
  });
  // hookctl's settings come first: in between a guard runs twice, which is better than not at all.
  return ok({ adoption, writes: [own, ...withoutHooks] });
}

/** The adoption of each other file from which the agent reads hooks. */
function adoptOtherFiles(
  target: InstallTarget,
  names: readonly string[],
): Result<readonly (Adoption & { readonly source: SettingsSource })[], Problem> {
  const sources = otherHookFiles(target);
  if (!sources.ok) return sources;
  const all: (Adoption & { readonly source: SettingsSource })[] = [];
  for (const source of sources.value) {
    const readable = checkReadable(target, source);
    if (!readable.ok) return readable;
    const taken = [...names, ...all.flatMap(({ adopted }) => adopted.map(({ name }) => name))];
    const found = adoptHooks(source.text ?? "", target.agent, taken);
    all.push({ ...found, kept: found.kept.map((why) => `${source.shown}: ${why}`), source });
  }
  return ok(all);
}

/** The hooks in the agent's TOML file, which stay there, each with the reason. */
function keptInTomlFile({ agent, file, shown }: InstallTarget): readonly string[] {
  const { tomlFile } = agent.settings;
  if (tomlFile === undefined) return [];
  const path = join(dirname(file), tomlFile);
  const text = presentText(path, path);
  return text.ok ? keptTomlHooks(text.value ?? "", agent, join(dirname(shown), tomlFile)) : [];
}

function requirementOf({ on, entry }: AdoptedHook) {
  const timeout = parseDuration(String(entry.timeout));
  return { event: findEvent(on)?.event ?? null, timeoutMs: timeout.ok ? timeout.value : 0 };
}

/** The variables that each hook got from the agent's environment and that a project's hook does not get. */
export const missingVariables = (adopted: readonly AdoptedHook[], envAllow: readonly string[]) =>
  adopted
    .map(({ name, variables }) => ({ name, variables: variables.filter((one) => !isAllowedVariable(one, envAllow)) }))
    .filter(({ variables }) => variables.length > 0);
