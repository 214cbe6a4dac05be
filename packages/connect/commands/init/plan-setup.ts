import { existsSync } from "node:fs";
import type { CommonOptions } from "../../../../src/cli/command-table.ts";
import type { Host } from "../../../../src/engine/host.ts";
import type { RunContext } from "../../../../src/engine/run-context.ts";
import { realPathOrSame } from "../../../../src/fs/paths.ts";
import type { AgentName } from "../../../../src/protocol/agent-names.ts";
import { GUARD_EVENTS, type GuardName } from "../../../../src/protocol/guard-settings.ts";
import type { Problem } from "../../../../src/protocol/problem.ts";
import { ok, type Result } from "../../../../src/protocol/result.ts";
import { AGENT_INSTALLS, AGENTS } from "../../../agents/agents.ts";
import { hookctlProgram } from "../../install/agent-shell.ts";
import { neededRegistrations } from "../../install/create-registrations.ts";
import { type HookRequirements, hookRequirementsIn, withMoreEvents } from "../../install/hook-requirements.ts";
import { doubleNote } from "../../install/install-notes.ts";
import { HOOKCTL_FILE, type InstallTarget, installTargetIn, isRegistered } from "../../install/install-target.ts";
import { planLauncher } from "../../install/launcher.ts";
import { hasSettingsFile } from "../../install/settings-file/user-file.ts";
import { type InstallPlan, planInstall } from "../../install/write-registrations.ts";
import { editSwitches, type SwitchesEdit } from "../guards/switches-file.ts";
import type { SetupChoices } from "./ask-setup.ts";

/** An agent with the changes that connect it, or why it cannot be connected. */
export type AgentPlan = { readonly agent: AgentName; readonly shown: string; readonly notes: readonly string[] } & (
  | {
      readonly kind: "changes";
      readonly target: InstallTarget;
      readonly install: InstallPlan;
      readonly isFailClosed: boolean;
    }
  | { readonly kind: "connected" }
  | { readonly kind: "problem"; readonly problem: Problem }
);

/** Everything that `init` will write. */
export interface SetupPlan {
  /** Null if no guard was chosen. */
  readonly guards: SwitchesEdit | null;
  readonly agents: readonly AgentPlan[];
}

export interface SetupSite {
  readonly context: RunContext;
  readonly options: CommonOptions;
  readonly host: Host;
}

/** Decides on every change before the first one is made. Starts no hook. */
export async function planSetup(
  { guards, agents }: SetupChoices,
  site: SetupSite,
): Promise<Result<SetupPlan, Problem>> {
  const { context, host } = site;
  const switches = guards.map((name) => ({ name, key: "guards" as const }));
  const edited =
    guards.length === 0 ? ok(null) : editSwitches({ switches, isOn: true, isProject: false }, context, host);
  if (!edited.ok) return edited;
  const needs = withGuards(await hookRequirementsIn(context), guards);
  const plans: AgentPlan[] = [];
  for (const agent of agents) plans.push(await planAgent(agent, needs, site));
  return ok({ guards: edited.value, agents: plans });
}

/** The guards are not in the settings yet. */
function withGuards(needs: HookRequirements, guards: readonly GuardName[]): HookRequirements {
  const events = guards.flatMap((name) => GUARD_EVENTS[name]);
  return { ...withMoreEvents(needs, events), hasFailClosed: needs.hasFailClosed || guards.length > 0 };
}

async function planAgent(agent: AgentName, needs: HookRequirements, site: SetupSite): Promise<AgentPlan> {
  const { context, options, host } = site;
  // The administrator's file connects the agent for every user.
  const ofMachine = registeredIn(agent, "machine", site);
  if (ofMachine !== null) return { kind: "connected", agent, shown: ofMachine.shown, notes: [] };
  const found = installTargetIn(context.scopes, { agent, scope: "user", options }, host);
  if (!found.ok) return { kind: "problem", agent, shown: "", notes: [], problem: found.error };
  const target = found.value;
  const { shown } = target;
  const program = await hookctlProgram(target, host);
  const lines = neededRegistrations(target, { events: null, mode: null, needs, program });
  const install = planInstall(target, { lines, launcher: await planLauncher(target, program, host) }, host);
  if (!install.ok) return { kind: "problem", agent, shown, notes: [], problem: install.error };
  const { changes, former, launcher } = install.value;
  const files = [...changes, ...former, ...(launcher === null ? [] : [launcher])];
  if (files.every(({ before, after }) => before === after)) return { kind: "connected", agent, shown, notes: [] };
  const isFailClosed = lines.some((line) => line.failClosed);
  const notes = [AGENT_INSTALLS[agent].stillToDo, ...testedNotes(agent), ...doubleNotes(agent, site)];
  return { kind: "changes", agent, shown, notes, target, install: install.value, isFailClosed };
}

const testedNotes = (agent: AgentName): readonly string[] =>
  AGENTS[agent].testedWith === null
    ? [`untested: the registration is written from ${AGENTS[agent].title}'s documentation.`]
    : [];

/** The agent reads both files and calls hookctl for each. */
function doubleNotes(agent: AgentName, site: SetupSite): readonly string[] {
  const scopes = ["project", "local"] as const;
  return scopes.flatMap((scope) => {
    const other = registeredIn(agent, scope, site);
    return other === null ? [] : [doubleNote(other)];
  });
}

function registeredIn(
  agent: AgentName,
  scope: "project" | "local" | "machine",
  { context: { scopes }, options, host }: SetupSite,
): InstallTarget | null {
  const selection = { agent, scope, options };
  if (!hasSettingsFile(selection, scopes, host.env)) return null;
  const target = installTargetIn(scopes, selection, host);
  return target.ok && isRegistered(target.value) ? target.value : null;
}

/** The project, or npm's cache, in which this hookctl is installed; null if it serves all projects. */
export function ownerOfProgram(file = HOOKCTL_FILE): string | null {
  const [folder = "", ...inside] = realPathOrSame(file).split("/node_modules/");
  return inside.length > 0 && existsSync(`${folder}/package.json`) ? folder : null;
}
