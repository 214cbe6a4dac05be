import { existsSync } from "node:fs";
import type { CommonOptions } from "../../../../src/cli/command-table.ts";
import type { Host } from "../../../../src/engine/host.ts";
import type { RunContext } from "../../../../src/engine/run-context.ts";
import { realPathOrSame } from "../../../../src/fs/paths.ts";
import type { AgentName } from "../../../../src/protocol/agent-names.ts";
import { GUARD_EVENTS, type GuardName } from "../../../../src/protocol/guard-settings.ts";
import type { Problem } from "../../../../src/protocol/problem.ts";
import { attempt } from "../../../../src/protocol/result.ts";
import { AGENT_INSTALLS, AGENTS } from "../../../agents/agents.ts";
import { hookctlProgram } from "../../install/agent-shell.ts";
import { type HookRequirements, hookRequirementsIn, withMoreEvents } from "../../install/hook-requirements.ts";
import { doubleNote, testedNote } from "../../install/install-notes.ts";
import { type InstallTarget, installTargetIn, isRegistered, otherRegistrations } from "../../install/install-target.ts";
import { type InstallPlan, planInstall } from "../../install/write-registrations.ts";
import { HOOKCTL_FILE } from "../../own-program.ts";
import type { AgentSetup } from "../../report/init-text.ts";
import { editSwitches, type SwitchesEdit } from "../guards/switches-file.ts";
import type { SetupChoices } from "./setup-choices.ts";

/** The setup of an agent, with the changes that connect it; null if there are none. */
export interface AgentPlan extends AgentSetup {
  readonly change: { readonly target: InstallTarget; readonly install: InstallPlan } | null;
}

/** Everything that `init` will write. */
export interface SetupPlan {
  /** Null if no guard was chosen, or if the settings are YAML. */
  readonly guards: SwitchesEdit | null;
  /** What to add to YAML by hand; null if nothing is missing in it. */
  readonly byHand: Problem | null;
  readonly agents: readonly AgentPlan[];
}

export interface SetupSite {
  readonly context: RunContext;
  readonly options: CommonOptions;
  readonly host: Host;
}

/** Decides on every change before the first one is made. Starts no hook. */
export async function planSetup({ guards, agents }: SetupChoices, site: SetupSite): Promise<SetupPlan> {
  const { context, host } = site;
  const switches = guards.map((name) => ({ name, key: "guards" as const }));
  const edited = guards.length === 0 ? null : editSwitches({ switches, isOn: true, isProject: false }, context, host);
  const needs = withGuards(await hookRequirementsIn(context), guards);
  const plans: AgentPlan[] = [];
  for (const agent of agents) plans.push(await planAgent(agent, needs, site));
  const byHand = edited?.ok === false ? edited.error : null;
  return { guards: edited?.ok === true ? edited.value : null, byHand, agents: plans };
}

/** The guards are not in the settings yet. */
function withGuards(needs: HookRequirements, guards: readonly GuardName[]): HookRequirements {
  const events = guards.flatMap((name) => GUARD_EVENTS[name]);
  return { ...withMoreEvents(needs, events), hasFailClosed: needs.hasFailClosed || guards.length > 0 };
}

async function planAgent(name: AgentName, needs: HookRequirements, site: SetupSite): Promise<AgentPlan> {
  const { context, options, host } = site;
  const { title } = AGENTS[name];
  const setup = { name, title, file: "", notes: [], isFailClosed: false, change: null, problem: null };
  // The administrator's file connects the agent for every user.
  const ofMachine = installTargetIn(context.scopes, { agent: name, scope: "machine", options }, host);
  if (ofMachine.ok && isRegistered(ofMachine.value))
    return { ...setup, file: ofMachine.value.shown, state: "unchanged" };
  const found = installTargetIn(context.scopes, { agent: name, scope: "user", options }, host);
  if (!found.ok) return { ...setup, state: "failed", problem: found.error };
  const target = found.value;
  const atFile = { ...setup, file: target.shown };
  const request = { events: null, mode: null, needs, program: await hookctlProgram(target, host) };
  const plan = await attempt(() => planInstall(target, request, host));
  if (!plan.ok) return { ...atFile, state: "failed", problem: plan.error };
  const install = plan.value;
  if (install.files.every(({ before, after }) => before === after)) return { ...atFile, state: "unchanged" };
  const notes = [
    AGENT_INSTALLS[name].stillToDo,
    ...(target.agent.testedWith === null ? [testedNote(target)] : []),
    ...otherRegistrations(target, host).map((other) => doubleNote(target, other)),
  ];
  const isFailClosed = install.lines.some((line) => line.failClosed);
  return { ...atFile, state: "connected", notes, isFailClosed, change: { target, install } };
}

/** The project, or npm's cache, in which this hookctl is installed; null if it serves all projects. */
export function ownerOfProgram(file = HOOKCTL_FILE): string | null {
  const [folder = "", ...inside] = realPathOrSame(file).split("/node_modules/");
  return inside.length > 0 && existsSync(`${folder}/package.json`) ? folder : null;
}
