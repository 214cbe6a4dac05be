import { type CommandResult, print, withProblem } from "../../../src/cli/command-result.ts";
import type { CommandLine } from "../../../src/cli/command-table.ts";
import { parentAgent, requirePerson } from "../../../src/cli/prompt/require-person.ts";
import { stdoutStyle } from "../../../src/cli/stream-style.ts";
import type { Host } from "../../../src/engine/host.ts";
import { EXIT } from "../../../src/protocol/exit-code.ts";
import { attempt, ProblemError, unwrap } from "../../../src/protocol/result.ts";
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
import { type InstallReport, installDiffText, installJson, installText } from "../report/install-text.ts";
import { wrongWords } from "./wrong-words.ts";

type InstallLine = Pick<CommandLine<"install">, "args" | "options">;

/** `hookctl init AGENTS --scope SCOPE`: registers `hookctl bridge` in agents' settings, for each event that hooks handle. */
export async function install({ args, options }: InstallLine, host: Host): Promise<CommandResult> {
  const reports: InstallReport[] = [];
  const ended = await attempt(async () => {
    for (const one of args.length === 0 ? [[]] : args.map((name) => [name])) {
      const { report, text } = await installOne({ args: one, options }, host);
      if (report === null || !options.json) unwrap(print(text, host));
      if (report !== null) reports.push(report);
    }
    return EXIT.ok;
  });
  if (!options.json || reports.length === 0) return ended;
  return withProblem(ended.ok ? null : ended.error, print(`${installJson(options.dryRun, reports)}\n`, host));
}

interface Installed {
  /** Null if its settings were only printed. */
  readonly report: InstallReport | null;
  readonly text: string;
}

async function installOne(line: InstallLine, host: Host): Promise<Installed> {
  const { dryRun: isDry, isPrinted, failClosed, failOpen } = line.options;
  const target = targetOf({ ...line, command: "init" }, host);
  const { agent, scope, options } = target;
  // First: otherwise a user is sent to sudo, which refuses the same line.
  const closed = commandFor("init", target, ["--fail-closed"]);
  if (failClosed && failOpen) throw wrongWords("--fail-closed and --fail-open cannot be combined.", closed);
  const events = selectedEvents(line, target);
  // First: root does not get it to work with this program either.
  if (scope === "machine") checkMachineProgram(host);
  if (!isPrinted) checkMayWrite(target, host);
  const needs = await hookRequirementsFor(options, host);
  const mode = failOpen ? "fail-open" : failClosed || scope === "machine" ? "fail-closed" : null;
  const request: RegistrationRequest = { events, mode, needs, program: await hookctlProgram(target, host) };
  if (isPrinted) {
    // As a new file: for a machine that is set up by other means, or to merge by hand.
    const [settings] = installChanges({ ...target, text: null }, neededRegistrations(target, request));
    host.err(`${target.shown}:\n`);
    return { report: null, text: settings?.after ?? "" };
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
  const style = await stdoutStyle(options, host);
  if (isDry) return { report, text: installDiffText(report, host.argv, style) };
  const { stillToDo, machineNote } = AGENT_INSTALLS[agent.name];
  const notes = [
    (scope === "machine" ? machineNote : undefined) ?? stillToDo,
    ...installNotes(target, request, plan.lines),
    ...others.map((other) => doubleNote(target, other)),
  ];
  return { report, text: installText(report, notes, style) };
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
