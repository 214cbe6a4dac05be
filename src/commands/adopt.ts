import { dirname, join } from "node:path";
import { AGENT_NAMES, type AgentName } from "../agents/agent.ts";
import { AGENTS, adoptableAgents } from "../agents/agents.ts";
import type { CommandLine } from "../cli/command-table.ts";
import { type CommandResult, print } from "../cli/output.ts";
import { stdoutStyle } from "../cli/style.ts";
import { approve } from "../engine/approve.ts";
import { type CreatedContext, createRunContext } from "../engine/run-context.ts";
import { approveSettings, areSettingsApproved } from "../engine/settings/approve-settings.ts";
import { entriesInFile } from "../engine/settings/project-settings.ts";
import type { Host } from "../host.ts";
import { type Adoption, adoptHooks, keptTomlHooks } from "../install/adopt/adopt-hooks.ts";
import type { AdoptedHook } from "../install/adopt/claude-hooks.ts";
import {
  checkSettingsText,
  conflictingSettings,
  type HookctlSettings,
  hookctlSettingsFor,
  unsafeLocation,
} from "../install/adopt/hookctl-settings.ts";
import { otherHookFiles, type SettingsSource } from "../install/adopt/other-hook-files.ts";
import { hookctlProgram } from "../install/agent-shell.ts";
import { addHookEntries, hookEntriesIn } from "../install/hook-entries.ts";
import { type HookRequirements, withMoreHooks } from "../install/hook-needs.ts";
import { hookRequirementsIn } from "../install/hook-needs-here.ts";
import { type InstallTarget, readInstallTarget } from "../install/install-target.ts";
import { neededRegistrations } from "../install/needed-registrations.ts";
import { presentText } from "../install/read-settings-text.ts";
import { addRegistrations } from "../install/settings-text.ts";
import { updateRegistrations } from "../install/update-registrations.ts";
import { type SettingsWrite, writeSettingsFiles } from "../install/write-settings-files.ts";
import { isAllowedVariable } from "../process/environment.ts";
import { findEvent } from "../protocol/event.ts";
import type { Problem } from "../protocol/problem.ts";
import { fail, ok, type Result } from "../protocol/result.ts";
import { parseDuration } from "../protocol/units.ts";
import { adoptJson, adoptText } from "../report/adopt-text.ts";
import { agentCommand } from "../report/agent-command.ts";
import { undoAdopt, withAdoptedHooksBack, withoutAdoptedEntries } from "./adopt-undo.ts";
import { requirePerson } from "./prompt/require-person.ts";

/** The hooks that an agent has already become ours: asked in order, recorded, tested, and asked by every other agent too. */
export async function adopt(line: CommandLine<"adopt">, host: Host): Promise<CommandResult> {
  const foreign = AGENT_NAMES.find((name) => name === line.args[0] && !adoptableAgents().includes(name));
  if (foreign !== undefined) return fail(anotherPayload(foreign, line));
  const site = readInstallTarget(line, host, adoptableAgents());
  if (!site.ok) return site;
  const { agent, options, scope } = site.value;
  const target = hookctlSettingsFor(site.value);
  if (!target.ok) return target;
  const isDry = line.options.dryRun;
  const refusal = isDry ? null : await requirePerson(host);
  if (refusal !== null) return fail(refusal);
  if (line.options.undo) return undoAdopt(site.value, target.value, { isDry, host });
  const started = await readyStart(site.value, host);
  if (!started.ok) return started;
  const needs = await hookRequirementsIn(started.value.context);
  const planned = plan(site.value, target.value, { needs, program: await hookctlProgram(site.value, host), host });
  if (!planned.ok) return planned;
  const { taken, changes } = planned.value;
  const isWhole = areSettingsApproved(started.value.context);
  const written =
    isDry || changes.length === 0
      ? ok(null)
      : await takeOver(planned.value, site.value, { target: target.value, isWhole, host });
  if (!written.ok) return written;

  if (!isDry && changes.length > 0) await updateRegistrations(options, host);
  const { envAllow } = started.value.context.settings;
  const missing = scope === "user" ? [] : missingFor(taken.adopted, envAllow);
  const report = { agent: agent.name, scope, isDry, directory: options.directory, changes, ...taken, missing };
  if (options.json) return print(`${adoptJson(report)}\n`, host);
  return print(adoptText(report, host.argv, await stdoutStyle(options, host)), host);
}

const anotherPayload = (agent: AgentName, { options }: CommandLine<"adopt">): Problem => ({
  code: "USAGE_WRONG_WORDS",
  detail: `${AGENTS[agent].title} sends its hooks another payload than ${adoptableAgents().join(", ")}; they stay where they are.`,
  tryThis: agentCommand("install", { agent, scope: "project", directory: options.directory }),
});

/** Settings that cannot be used would leave the agent without its hooks: nobody would ask them. */
async function readyStart({ options }: InstallTarget, host: Host): Promise<Result<CreatedContext, Problem>> {
  const started = await createRunContext(options, host, true);
  const [problem] = started.ok ? started.value.loaded.problems : [];
  return problem === undefined ? started : fail(problem);
}

interface Planned {
  readonly taken: Adoption;
  /** Empty: there is nothing to take over. */
  readonly changes: readonly (SettingsWrite & { readonly shown: string })[];
}

const NOTHING_TAKEN: Adoption = { adopted: [], left: "", kept: [] };

/** The reasons why hooks in the agent's TOML file stay there. */
function keptBeside({ agent, file, shown }: InstallTarget): readonly string[] {
  const { tomlFile } = agent.settings;
  if (tomlFile === undefined) return [];
  const place = join(dirname(file), tomlFile);
  const text = presentText(place, place);
  return text.ok ? keptTomlHooks(text.value ?? "", agent, join(dirname(shown), tomlFile)) : [];
}

interface PlanInput {
  /** What the hooks need that are there already. */
  readonly needs: HookRequirements;
  readonly program: string;
  readonly host: Host;
}

/** What would be written, once it is known that the hooks will be allowed to run there. */
function plan(
  site: InstallTarget,
  target: HookctlSettings,
  { needs, program, host }: PlanInput,
): Result<Planned, Problem> {
  const { agent, format, root, shown } = site;
  const faulty = (fault: { readonly line: number; readonly detail: string }) =>
    fail<Problem>({ code: "AGENT_SETTINGS_NOT_PARSED", path: shown, ...fault });
  const readable = addRegistrations(site.text ?? "", { name: agent.name, format }, []);
  if (!readable.ok) return faulty(readable.error);
  const names = hookEntriesIn(target.text ?? "").map(({ value }) => String(value.name));
  const found = format === "json" ? adoptHooks(site.text ?? "", agent, names) : NOTHING_TAKEN;
  const beside = adoptedBeside(site, [...names, ...found.adopted.map(({ name }) => name)]);
  if (!beside.ok) return beside;
  const others = beside.value.filter(({ adopted }) => adopted.length > 0);
  const taken = {
    ...found,
    adopted: [...found.adopted, ...others.flatMap(({ adopted }) => adopted)],
    kept: [...found.kept, ...beside.value.flatMap(({ kept }) => kept), ...keptBeside(site)],
  };
  if (taken.adopted.length === 0) return ok({ taken, changes: [] });

  const hindrance = conflictingSettings(target, site, host) ?? unsafeLocation(target, site, host);
  if (hindrance !== null) return fail(hindrance);
  const members = taken.adopted.map(({ on, entry }) => ({ on, value: entry }));
  const own = checkSettingsText(addHookEntries(target.text ?? "", members, { version: 1 }), target, site);
  if (!own.ok) return own;
  // The limit that the agent is told follows the timeouts that the hooks had.
  const wanted = { events: null, mode: null, needs: withMoreHooks(needs, taken.adopted.map(needOf)), program };
  const lines = neededRegistrations({ ...site, text: taken.left }, wanted);
  const settings = addRegistrations(taken.left, { name: agent.name, format }, lines);
  if (!settings.ok) return faulty(settings.error);
  const changes = [
    // Ours first: between the two a guard would be asked twice, and never not at all.
    {
      file: target.file,
      root,
      shown: target.shown,
      before: target.text,
      after: own.value,
      undone: withoutAdoptedEntries,
    },
    {
      file: site.file,
      root,
      shown,
      before: site.text,
      after: settings.value,
      undone: withAdoptedHooksBack(site, host),
    },
    ...others.map(({ source, left }) => {
      const undone = withAdoptedHooksBack({ ...site, ...source }, host);
      return { file: source.file, root, shown: source.shown, before: source.text, after: left, undone };
    }),
  ];
  return ok({ taken, changes });
}

/** The same for the other files that the agent reads hooks from, each by itself. */
function adoptedBeside(
  site: InstallTarget,
  names: readonly string[],
): Result<readonly (Adoption & { readonly source: SettingsSource })[], Problem> {
  const { agent, format } = site;
  const sources = otherHookFiles(site);
  if (!sources.ok) return sources;
  const all: (Adoption & { readonly source: SettingsSource })[] = [];
  for (const source of sources.value) {
    const readable = addRegistrations(source.text ?? "", { name: agent.name, format }, []);
    if (!readable.ok) return fail({ code: "AGENT_SETTINGS_NOT_PARSED", path: source.shown, ...readable.error });
    const known = [...names, ...all.flatMap(({ adopted }) => adopted.map(({ name }) => name))];
    const found = adoptHooks(source.text ?? "", agent, known);
    all.push({ ...found, kept: found.kept.map((why) => `${source.shown}: ${why}`), source });
  }
  return ok(all);
}

function needOf({ on, entry }: AdoptedHook) {
  const timeout = parseDuration(String(entry.timeout));
  return { event: findEvent(on)?.event ?? null, timeoutMs: timeout.ok ? timeout.value : 0 };
}

/** They ran before and were shown now: an approval that waits would leave the agent without them. */
async function takeOver({ taken, changes }: Planned, site: InstallTarget, into: Into): Promise<Result<null, Problem>> {
  const written = writeSettingsFiles(changes, "adopt", into.host);
  if (!written.ok) return written;
  const approved = site.scope === "user" ? ok(null) : await approveAdopted(taken.adopted, site, into);
  if (approved.ok) return approved;
  const takeBack = written.value;
  return fail(takeBack() ?? approved.error);
}

interface Into {
  readonly target: HookctlSettings;
  /** The settings were just as they had been approved: with the adopted hooks they still are. */
  readonly isWhole: boolean;
  readonly host: Host;
}

async function approveAdopted(
  adopted: readonly AdoptedHook[],
  site: InstallTarget,
  { target, isWhole, host }: Into,
): Promise<Result<null, Problem>> {
  const started = await readyStart(site, host);
  if (!started.ok) return started;
  const { context } = started.value;
  const names = adopted.map(({ name }) => name);
  const own = entriesInFile({ path: target.path }, context.plan).filter(({ name }) => names.includes(name));
  const approved = isWhole ? await approveSettings(context) : await approve(own, context);
  return approved.ok ? ok(null) : approved;
}

/** The variables that a hook had from the agent's own environment, and that a project's hook is not given. */
const missingFor = (adopted: readonly AdoptedHook[], envAllow: readonly string[]) =>
  adopted
    .map(({ name, variables }) => ({ name, variables: variables.filter((one) => !isAllowedVariable(one, envAllow)) }))
    .filter(({ variables }) => variables.length > 0);
