import type { Registration } from "../agents/agent-install.ts";
import { AGENT_INSTALLS } from "../agents/agents.ts";
import { type CommandResult, print } from "../cli/command-result.ts";
import type { CommandLine } from "../cli/command-table.ts";
import { stdoutStyle } from "../cli/stream-style.ts";
import type { Host } from "../host.ts";
import { hookctlProgram, machineProgramFault } from "../install/agent-shell.ts";
import { ensureCompileCache } from "../install/compile-cache.ts";
import { neededRegistrations, type RegistrationRequest } from "../install/create-registrations.ts";
import { hookRequirementsFor } from "../install/hook-requirements.ts";
import { installNotes } from "../install/install-notes.ts";
import { type InstallTarget, readInstallTarget } from "../install/install-target.ts";
import { installChanges, planInstall, writeInstall } from "../install/write-registrations.ts";
import type { Problem } from "../protocol/problem.ts";
import { fail, ok, type Result } from "../protocol/result.ts";
import { nearest } from "../protocol/text/nearest.ts";
import { installDiffText, installJson, installText } from "../report/install-text.ts";
import { requirePerson } from "./prompt/require-person.ts";

/** Registers `hookctl bridge` in an agent's settings, for each event that hooks handle. */
export async function install(line: CommandLine<"install">, host: Host): Promise<CommandResult> {
  const target = readInstallTarget(line, host);
  if (!target.ok) return target;
  const unsafe = target.value.scope === "machine" ? await machineProgramFault(host) : null;
  if (unsafe !== null) return fail(unsafe);
  const wanted = await wantedLines(line, target.value, host);
  if (!wanted.ok) return wanted;
  const lines = neededRegistrations(target.value, wanted.value);
  if (line.options.isPrinted) return printSettings(target.value, lines, host);
  const plan = planInstall(target.value, lines, host);
  if (!plan.ok) return plan;

  const isDry = line.options.dryRun;
  // Only a person may make a fail-closed guard fail-open.
  const refusal = !isDry && line.options.failOpen ? await requirePerson(host) : null;
  if (refusal !== null) return fail(refusal);
  const written = isDry ? ok(null) : writeInstall(target.value, plan.value, host);
  if (!written.ok) return written;
  if (!isDry) await ensureCompileCache(host);
  const { agent, scope, options } = target.value;
  const all = [...plan.value.changes, ...plan.value.former];
  const report = { agent: agent.name, scope, directory: options.directory, isDry, changes: all };
  if (options.json) return print(`${installJson("install", report)}\n`, host);
  const style = await stdoutStyle(options, host);
  const { stillToDo, machineNote } = AGENT_INSTALLS[agent.name];
  const notes = [
    (scope === "machine" ? machineNote : undefined) ?? stillToDo,
    ...installNotes(target.value, wanted.value, lines),
  ];
  const text = isDry ? installDiffText(report, host.argv, style) : installText(report, notes, style);
  return print(text, host);
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
  if (options.failClosed && options.failOpen) {
    const detail = "--fail-closed and --fail-open cannot be combined.";
    return fail({ code: "USAGE_WRONG_WORDS", detail, tryThis: `hookctl install ${target.agent.name} --fail-closed` });
  }
  const refused = httpRefusal(line, target);
  if (refused !== null) return fail(refused);
  const events = wantedEvents(line, target);
  if (!events.ok) return events;
  const needs = await hookRequirementsFor(target.options, host);
  const usual = target.scope === "machine" ? "fail-closed" : null;
  const mode = options.failClosed ? "fail-closed" : options.failOpen ? "fail-open" : usual;
  const program = await hookctlProgram(target, host);
  return ok({ events: events.value, mode, needs, program, httpPort: options.httpPort });
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

/** Null: the events that the hooks handle. For the machine all, because every user's hooks count. */
function wantedEvents(
  line: CommandLine<"install">,
  { agent, scope }: InstallTarget,
): Result<readonly string[] | null, Problem> {
  const names = line.options.events.flatMap((text) => text.split(","));
  const known = Object.keys(agent.events);
  if ((names.length === 1 && names[0] === "all") || (names.length === 0 && scope === "machine"))
    return ok(known.filter((name) => agent.events[name]?.timeoutMs !== null));
  const unknown = names.find((name) => !known.includes(name));
  if (unknown === undefined) return ok(names.length === 0 ? null : names);
  const near = nearest(unknown, known);
  const detail = `${agent.title} has ${known.join(", ")}${near === null ? "" : `; did you mean ${near}?`}`;
  return fail({ code: "USAGE_BAD_VALUE", flag: "--events", value: unknown, detail });
}
