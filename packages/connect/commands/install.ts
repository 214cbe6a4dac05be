import { type CommandResult, print } from "../../../src/cli/command-result.ts";
import type { CommandLine } from "../../../src/cli/command-table.ts";
import { parentAgent, requirePerson } from "../../../src/cli/prompt/require-person.ts";
import { stdoutStyle } from "../../../src/cli/stream-style.ts";
import type { Host } from "../../../src/engine/host.ts";
import { AGENT_NAMES } from "../../../src/protocol/agent-names.ts";
import type { Problem } from "../../../src/protocol/problem.ts";
import { fail, ok, type Result } from "../../../src/protocol/result.ts";
import { nearest } from "../../../src/protocol/text/nearest.ts";
import type { Registration } from "../../agents/agent-install.ts";
import { AGENT_INSTALLS } from "../../agents/agents.ts";
import { hookctlProgram, machineProgramFault } from "../install/agent-shell.ts";
import { ensureCompileCache } from "../install/compile-cache.ts";
import { neededRegistrations, type RegistrationRequest } from "../install/create-registrations.ts";
import { hookRequirementsFor } from "../install/hook-requirements.ts";
import { doubleNote, installNotes } from "../install/install-notes.ts";
import { type InstallTarget, isRegistered, otherRegistrations, readInstallTarget } from "../install/install-target.ts";
import { isReplaced, planLauncher } from "../install/launcher.ts";
import { sealWritten } from "../install/seal/write-seal.ts";
import { installChanges, planInstall, writeInstall } from "../install/write-registrations.ts";
import { hookctlCommand } from "../report/agent-command.ts";
import { installDiffText, installJson, installText } from "../report/install-text.ts";

/** Registers `hookctl bridge` in an agent's settings, for each event that hooks handle. */
export async function install(line: CommandLine<"install">, host: Host): Promise<CommandResult> {
  const target = readInstallTarget(line, host, AGENT_NAMES, (chosen) => contradictionIn(line, chosen));
  if (!target.ok) return target;
  const unsafe = target.value.scope === "machine" ? await machineProgramFault(host) : null;
  if (unsafe !== null) return fail(unsafe);
  const wanted = await wantedLines(line, target.value, host);
  if (!wanted.ok) return wanted;
  const others = otherRegistrations(target.value, host);
  const twice = line.options.scope === null && !line.options.isPrinted ? wouldRunTwice(target.value, others) : null;
  if (twice !== null) return fail(twice);
  const lines = neededRegistrations(target.value, wanted.value);
  if (line.options.isPrinted) return printSettings(target.value, lines, host);
  const launcher = await planLauncher(target.value, wanted.value.program, host);
  const plan = planInstall(target.value, { lines, launcher }, host);
  if (!plan.ok) return plan;

  const isDry = line.options.dryRun;
  // Only a person may make a fail-closed guard fail-open, or let agents start another program.
  const needsPerson = line.options.failOpen || isReplaced(launcher);
  if (!isDry && needsPerson) await requirePerson(host);
  const written = isDry ? ok(null) : writeInstall(target.value, plan.value, host);
  if (!written.ok) return written;
  if (!isDry) await sealWritten(target.value, host, (await parentAgent(host)) === null);
  if (!isDry) await ensureCompileCache(host);
  const { agent, scope, options } = target.value;
  const all = [...plan.value.changes, ...plan.value.former, ...(launcher === null ? [] : [launcher])];
  const report = { agent: agent.name, scope, directory: options.directory, isDry, changes: all, others };
  if (options.json) return print(`${installJson("install", report)}\n`, host);
  const style = await stdoutStyle(options, host);
  const { stillToDo, machineNote } = AGENT_INSTALLS[agent.name];
  const notes = [
    (scope === "machine" ? machineNote : undefined) ?? stillToDo,
    ...installNotes(target.value, wanted.value, lines),
    ...others.map(doubleNote),
  ];
  const text = isDry ? installDiffText(report, host.argv, style) : installText(report, notes, style);
  return print(text, host);
}

/** Without a scope, the one that calls hookctl already is meant, or both by mistake: a person names it. */
function wouldRunTwice(target: InstallTarget, [other]: readonly InstallTarget[]): Problem | null {
  if (other === undefined || isRegistered(target)) return null;
  const { agent, scope, shown, options } = target;
  const line = (named: string): string => hookctlCommand(["install", agent.name, "--scope", named], options);
  return {
    code: "USAGE_WRONG_WORDS",
    detail: `${other.shown} calls hookctl already: with ${shown} too, each hook would run twice. Nothing was written.`,
    tryThis: `${line(other.scope)}, or for both: ${line(scope)}`,
  };
}

/** Prints the settings as a new file: for a machine that is set up by other means, or to merge by hand. */
function printSettings(target: InstallTarget, lines: readonly Registration[], host: Host): CommandResult {
  const changes = installChanges({ ...target, text: null }, lines);
  if (!changes.ok) return changes;
  host.err(`${target.shown}:\n`);
  return print(changes.value[0]?.after ?? "", host);
}

async function wantedLines(
  line: CommandLine<"install">,
  target: InstallTarget,
  host: Host,
): Promise<Result<RegistrationRequest, Problem>> {
  const { options } = line;
  const events = wantedEvents(line, target);
  if (!events.ok) return events;
  const needs = await hookRequirementsFor(target.options, host);
  const usual = target.scope === "machine" ? "fail-closed" : null;
  const mode = options.failClosed ? "fail-closed" : options.failOpen ? "fail-open" : usual;
  const program = await hookctlProgram(target, host);
  return ok({ events: events.value, mode, needs, program, httpPort: options.httpPort });
}

function contradictionIn(line: CommandLine<"install">, target: InstallTarget): Problem | null {
  const { failClosed, failOpen } = line.options;
  if (!failClosed || !failOpen) {
    const events = wantedEvents(line, target);
    return httpRefusal(line, target) ?? (events.ok ? null : events.error);
  }
  const detail = "--fail-closed and --fail-open cannot be combined.";
  return { code: "USAGE_WRONG_WORDS", detail, tryThis: `hookctl install ${target.agent.name} --fail-closed` };
}

/** The port and the token are this user's: no file that others read may name them. */
function httpRefusal(
  { options: { httpPort } }: CommandLine<"install">,
  { agent, scope }: InstallTarget,
): Problem | null {
  if (httpPort === null) return null;
  if (AGENT_INSTALLS[agent.name].httpHooks === undefined) {
    const detail = `${agent.title} sends its events to no address.`;
    return { code: "USAGE_WRONG_WORDS", detail, tryThis: `hookctl install ${agent.name}` };
  }
  if (scope === "user" || scope === "local") return null;
  const detail = "--http is for your own settings: --scope user or local.";
  const tryThis = `hookctl install ${agent.name} --http ${httpPort} --scope user`;
  return { code: "USAGE_WRONG_WORDS", detail, tryThis };
}

/** The events to register; null for those that the hooks handle. For the machine all events, because it serves every user's hooks. */
function wantedEvents(
  line: CommandLine<"install">,
  { agent, scope }: InstallTarget,
): Result<readonly string[] | null, Problem> {
  const names = line.options.events.flatMap((text) => text.split(","));
  const known = Object.keys(agent.events);
  if ((names.length === 1 && names[0] === "all") || (names.length === 0 && scope === "machine"))
    return ok(known.filter((name) => agent.events[name]?.isOnRequest !== true));
  const unknown = names.find((name) => !known.includes(name));
  if (unknown === undefined) return ok(names.length === 0 ? null : names);
  const near = nearest(unknown, known);
  const detail = `${agent.title} has ${known.join(", ")}${near === null ? "" : `; did you mean ${near}?`}`;
  return fail({ code: "USAGE_BAD_VALUE", flag: "--events", value: unknown, detail });
}
