import { type CommandResult, print } from "../../../src/cli/command-result.ts";
import type { CommandLine } from "../../../src/cli/command-table.ts";
import { parentAgent, requirePerson } from "../../../src/cli/prompt/require-person.ts";
import { stdoutStyle } from "../../../src/cli/stream-style.ts";
import type { Host } from "../../../src/engine/host.ts";
import { ProblemError } from "../../../src/protocol/result.ts";
import { nearest } from "../../../src/protocol/text/nearest.ts";
import { AGENT_INSTALLS } from "../../agents/agents.ts";
import { checkMachineProgram, hookctlProgram } from "../install/agent-shell.ts";
import { ensureCompileCache } from "../install/compile-cache.ts";
import { neededRegistrations, type RegistrationRequest } from "../install/create-registrations.ts";
import { hookRequirementsFor } from "../install/hook-requirements.ts";
import { doubleNote, installNotes } from "../install/install-notes.ts";
import {
  checkMayWrite,
  commandFor,
  type InstallTarget,
  isRegistered,
  otherRegistrations,
  targetOf,
} from "../install/install-target.ts";
import { isReplaced } from "../install/launcher.ts";
import { sealWritten } from "../install/seal/write-seal.ts";
import { installChanges, planInstall, writeInstall } from "../install/write-registrations.ts";
import { hookctlCommand } from "../report/agent-command.ts";
import { installDiffText, installJson, installText } from "../report/install-text.ts";
import { wrongWords } from "./wrong-words.ts";

type InstallLine = Pick<CommandLine<"install">, "args" | "options">;

/** `hookctl init AGENT --scope SCOPE`: registers `hookctl bridge` in an agent's settings, for each event that hooks handle. */
export async function install(line: InstallLine, host: Host): Promise<CommandResult> {
  const { dryRun: isDry, isPrinted, failClosed, failOpen, json } = line.options;
  const target = targetOf({ ...line, command: "init" }, host);
  const { agent, scope, options } = target;
  // First: otherwise a user is sent to sudo, which refuses the same line.
  checkModes(line, target);
  const events = selectedEvents(line, target);
  // First: root does not get it to work with this program either.
  if (scope === "machine") checkMachineProgram(host);
  if (!isPrinted) checkMayWrite(target, host);
  const needs = await hookRequirementsFor(options, host);
  const request: RegistrationRequest = {
    events,
    mode: failOpen ? "fail-open" : failClosed || scope === "machine" ? "fail-closed" : null,
    needs,
    program: await hookctlProgram(target, host),
  };
  if (isPrinted) {
    // As a new file: for a machine that is set up by other means, or to merge by hand.
    const [settings] = installChanges({ ...target, text: null }, neededRegistrations(target, request));
    host.err(`${target.shown}:\n`);
    return print(settings?.after ?? "", host);
  }
  const others = otherRegistrations(target, host);
  if (line.options.scope === null) checkRunsOnce(target, others);
  const plan = await planInstall(target, request, host);

  // Only a person may make a fail-closed guard fail-open, or let agents start another program.
  if (!isDry && (failOpen || isReplaced(plan.launcher))) await requirePerson(host);
  if (!isDry) {
    await writeInstall(target, plan, host);
    await sealWritten(target, host, (await parentAgent(host)) === null);
    await ensureCompileCache(host);
  }
  const report = { agent: agent.name, scope, directory: options.directory, isDry, changes: plan.files, others };
  if (json) return print(`${installJson("install", report)}\n`, host);
  const style = await stdoutStyle(options, host);
  if (isDry) return print(installDiffText(report, host.argv, style), host);
  const { stillToDo, machineNote } = AGENT_INSTALLS[agent.name];
  const notes = [
    (scope === "machine" ? machineNote : undefined) ?? stillToDo,
    ...installNotes(target, request, plan.lines),
    ...others.map((other) => doubleNote(target, other)),
  ];
  return print(installText(report, notes, style), host);
}

/** Without `--scope`, the user may have intended the scope that calls hookctl already: the user names it. */
function checkRunsOnce(target: InstallTarget, [other]: readonly InstallTarget[]): void {
  if (other === undefined || isRegistered(target)) return;
  const { scope, shown, agent, options } = target;
  const line = (named: string) => hookctlCommand(["init", agent.name, "--scope", named], options);
  throw wrongWords(
    `${other.shown} calls hookctl already: with ${shown} too, each hook would run twice. Nothing was written.`,
    `${line(other.scope)}, or for both: ${line(scope)}`,
  );
}

function checkModes({ options: { failClosed, failOpen } }: InstallLine, target: InstallTarget): void {
  if (failClosed && failOpen)
    throw wrongWords(
      "--fail-closed and --fail-open cannot be combined.",
      commandFor("init", target, ["--fail-closed"]),
    );
}

/** The events to register; null for those that the hooks handle. For the machine all events, because it serves every user's hooks. */
function selectedEvents({ options }: InstallLine, { agent, scope }: InstallTarget): readonly string[] | null {
  const names = options.events.flatMap((text) => text.split(","));
  const known = Object.keys(agent.events);
  if ((names.length === 1 && names[0] === "all") || (names.length === 0 && scope === "machine"))
    return known.filter((name) => agent.events[name]?.isOnRequest !== true);
  const unknown = names.find((name) => !known.includes(name));
  if (unknown === undefined) return names.length === 0 ? null : names;
  const near = nearest(unknown, known);
  const detail = `${agent.title} has ${known.join(", ")}${near === null ? "" : `; did you mean ${near}?`}`;
  throw new ProblemError({ code: "USAGE_BAD_VALUE", flag: "--events", value: unknown, detail });
}
