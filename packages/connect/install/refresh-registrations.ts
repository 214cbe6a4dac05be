import type { CommonOptions } from "../../../src/cli/command-table.ts";
import type { Scopes } from "../../../src/discover/scopes.ts";
import type { Host } from "../../../src/engine/host.ts";
import { hooksAreOff } from "../../../src/engine/run-context.ts";
import { AGENT_NAMES, INSTALL_SCOPES } from "../../../src/protocol/agent-names.ts";
import { attempt } from "../../../src/protocol/result.ts";
import { escapeControls } from "../../../src/protocol/text/text.ts";
import { problemText } from "../../../src/report/problem-text.ts";
import { PLAIN_STYLE } from "../../../src/report/text-style.ts";
import type { FoundRegistration } from "../../agents/agent-install.ts";
import { AGENT_INSTALLS } from "../../agents/agents.ts";
import { skippedText } from "../report/install-text.ts";
import { hasSettingsFile } from "./agent-files.ts";
import { askAgentTrust } from "./agent-trust.ts";
import { neededRegistrations, optionsOfAll, parseRegistration } from "./create-registrations.ts";
import { registrationsIn } from "./find-registrations.ts";
import { eventsToRegister, type HookRequirements, hookRequirementsFor, NO_REQUIREMENTS } from "./hook-requirements.ts";
import { commandFor, type InstallTarget, installTargetIn } from "./install-target.ts";
import { sealWritten } from "./seal/write-seal.ts";
import { presentText, withSettingsLock } from "./settings-file/write-settings-files.ts";
import { installChanges, writeInstallChanges } from "./write-registrations.ts";

/** A settings file that `install` wrote to. Others are not updated. */
interface ManagedRegistration {
  readonly target: InstallTarget;
  readonly lines: readonly FoundRegistration[];
  readonly program: string;
}

/** Registrations of the administrator contain every event. */
const REFRESHED_SCOPES = INSTALL_SCOPES.filter((scope) => scope !== "machine");

/**
 * Run after hooks were approved or created: registers their events in each settings file that `install` wrote to. Files
 * without a registration are not changed, nor is any registration that exists.
 */
export async function refreshRegistrations(scopes: Scopes, options: CommonOptions, host: Host): Promise<void> {
  if (hooksAreOff(options, host)) return;
  const selections = AGENT_NAMES.flatMap((agent) => REFRESHED_SCOPES.map((scope) => ({ agent, scope, options })));
  const present = selections.filter((selection) => hasSettingsFile(selection, scopes, host.env));
  const managed = present.flatMap((selection): readonly ManagedRegistration[] => {
    const target = installTargetIn(scopes, selection, host);
    if (!target.ok) return [];
    const lines = registrationsIn(target.value);
    const [program] = lines.flatMap((line) => parseRegistration(line, target.value)?.program ?? []);
    return program === undefined ? [] : [{ target: target.value, lines, program }];
  });
  if (managed.length === 0) return;
  const needs = await hookRequirementsFor(options, host);
  for (const registration of managed) {
    const { target } = registration;
    const ofAgent = managed.filter((other) => other.target.agent === target.agent);
    const added = await attempt(() => addEvents(registration, ofAgent, needs, host));
    if (!added.ok) host.err(problemText(added.error, PLAIN_STYLE));
    const isChanged = added.ok && added.value.length > 0;
    const { stillToDo } = AGENT_INSTALLS[target.agent.name];
    if (isChanged) {
      host.err(
        `• ${target.agent.title}: ${escapeControls(target.shown)} now registers ${added.value.join(", ")} too\n  ${stillToDo}\n`,
      );
      await sealWritten(target, host, false);
    }
    await reportSkipped(target, isChanged ? "" : `  ${stillToDo}\n`, host);
  }
}

/** Registers events that are missing. Returns them. */
async function addEvents(
  { target, lines, program }: ManagedRegistration,
  ofAgent: readonly ManagedRegistration[],
  needs: HookRequirements,
  host: Host,
): Promise<readonly string[]> {
  const { agent, scope, shown } = target;
  const { failClosed, isOpenByChoice } = optionsOfAll(lines);
  if (needs.hasFailClosed && scope === "project" && !failClosed && isOpenByChoice !== true) {
    host.err(
      `▲ ${agent.title}: a hook is fail-closed, but ${escapeControls(shown)} is not: if hookctl cannot run, calls are allowed\n` +
        `  To block them: ${commandFor("init", target, ["--fail-closed"])}\n`,
    );
  }
  const others = ofAgent.filter((other) => other.target !== target);
  const elsewhere = others.flatMap((other) => other.lines.map(({ event }) => event));
  // A hook would run twice if two files registered its event: only the first file gets new events.
  const isFirst = ofAgent[0]?.target === target;
  const required = needs.events.length > 0 && isFirst ? eventsToRegister(agent, needs) : [];
  const events = required.filter((event) => !elsewhere.includes(event));
  const planned = neededRegistrations(target, { events, mode: null, needs: NO_REQUIREMENTS, program });
  const added = planned.map(({ event }) => event).filter((event) => lines.every((line) => line.event !== event));
  if (added.length > 0)
    await withSettingsLock(host, () => writeInstallChanges(target, installChanges(target, planned), host));
  return added;
}

/** Reports the entries that the agent skips, because it does so without a word. */
async function reportSkipped(target: InstallTarget, next: string, host: Host): Promise<void> {
  const { agent, file, shown } = target;
  const text = presentText(file, shown);
  if (!text.ok) return;
  const answer = await askAgentTrust(target, registrationsIn({ ...target, text: text.value }), host);
  if (answer === null || answer.skipped.length === 0) return;
  host.err(`✖ ${skippedText(agent.title, answer.skipped)} of ${escapeControls(shown)}\n${next}`);
}
