import { type CommandResult, print } from "../../../src/cli/command-result.ts";
import type { CommandLine } from "../../../src/cli/command-table.ts";
import { requirePerson, requireYes } from "../../../src/cli/prompt/require-person.ts";
import { stdoutStyle } from "../../../src/cli/stream-style.ts";
import { updateRegistrations } from "../../../src/cli/update-registrations.ts";
import { approve, approveSettings, areSettingsApproved } from "../../../src/engine/approve-unseen.ts";
import { type CreatedContext, createRunContext } from "../../../src/engine/create-run-context.ts";
import type { Host } from "../../../src/engine/host.ts";
import { entriesInFile } from "../../../src/engine/settings/project-settings.ts";
import { pathExists } from "../../../src/fs/paths.ts";
import { AGENT_NAMES, type AgentName } from "../../../src/protocol/agent-names.ts";
import { fail, ProblemError, unwrap } from "../../../src/protocol/result.ts";
import { AGENTS, adoptableAgents } from "../../agents/agents.ts";
import { missingVariables, type PreparedAdoption, prepareAdoption } from "../install/adopt/adopt-hooks.ts";
import { type HookctlSettings, hookctlSettingsFor } from "../install/adopt/hookctl-settings.ts";
import { adoptionUndo, undoAdoption } from "../install/adopt/undo-adoption.ts";
import { hookctlProgram } from "../install/agent-shell.ts";
import { hookRequirementsIn } from "../install/hook-requirements.ts";
import { doubleNote } from "../install/install-notes.ts";
import {
  checkMayWrite,
  commandFor,
  type InstallTarget,
  installTarget,
  isCovered,
  otherRegistrations,
  targetOf,
} from "../install/install-target.ts";
import { planLauncher, writeLauncher } from "../install/launcher.ts";
import { sealWritten } from "../install/seal/write-seal.ts";
import { readBackup, withSettingsLock, writeSettingsFiles } from "../install/settings-file/write-settings-files.ts";
import { adoptJson, adoptText, adoptUndoJson, adoptUndoText } from "../report/adopt-text.ts";
import { agentCommand } from "../report/agent-command.ts";

/** Moves the hooks in an agent's settings into hookctl's, where they are ordered, recorded and run for every agent. */
export async function adopt(line: CommandLine<"adopt">, host: Host): Promise<CommandResult> {
  const { dryRun: isDry, directory, undo: isUndo } = line.options;
  const agents = adoptableAgents();
  const foreign = AGENT_NAMES.find((name) => name === line.args[0] && !agents.includes(name));
  if (foreign !== undefined) {
    const detail = `${AGENTS[foreign].title} sends its hooks a different payload from ${agents.join(", ")}; they were not moved.`;
    const tryThis = agentCommand("init", { agent: foreign, scope: "project", directory });
    return fail({ code: "USAGE_WRONG_WORDS", detail, tryThis });
  }
  const args = line.args.length > 0 ? line.args : onlyAgent(agents, line, host);
  const target = targetOf({ ...line, args, ending: isUndo ? " --undo" : "" }, host, agents);
  checkMayWrite(target, host);
  const isAsking = !isDry && !line.options.yes && host.isStdinTerminal();
  const input = { target, settings: hookctlSettingsFor(target), isDry, isAsking, host };
  if (!isDry) await requirePerson(host);
  return isUndo ? undo(input) : moveHooks(input);
}

/** The one agent that has settings here, or of which hooks were moved. */
function onlyAgent(agents: readonly AgentName[], { options }: CommandLine<"adopt">, host: Host): readonly AgentName[] {
  const likely = agents.filter((agent) => {
    const target = installTarget({ agent, scope: options.scope ?? "project", options }, host);
    if (!target.ok) return false;
    const { file } = target.value;
    return options.undo ? readBackup(file, host, "adopt") !== null : pathExists(file);
  });
  return likely.length === 1 ? likely : [];
}

interface AdoptInput {
  readonly target: InstallTarget;
  readonly settings: HookctlSettings;
  readonly isDry: boolean;
  /** A person is asked before hooks are moved. */
  readonly isAsking: boolean;
  readonly host: Host;
}

async function moveHooks(input: AdoptInput): Promise<CommandResult> {
  const { target, settings, isDry, host } = input;
  const { options, scope } = target;
  const { context } = await contextWithoutProblems(input);
  const requirements = await hookRequirementsIn(context);
  const program = await hookctlProgram(target, host);
  const launcher = planLauncher(target, program, host);
  const prepared = prepareAdoption(target, settings, { requirements, program, host });
  const { adoption, writes } = prepared;
  const missing = scope === "user" ? [] : missingVariables(adoption.adopted, context.settings.envAllow);
  const report = { ...reportHead(input), changes: writes, ...adoption, missing };
  if (input.isAsking && adoption.adopted.length > 0) {
    await confirm(adoptText({ ...report, isDry: true }, null, await stdoutStyle(options, host)), input);
    // Again: the files may have changed while the person read.
    return moveHooks({ ...input, isAsking: false });
  }
  const isWriting = !isDry && writes.length > 0;
  const wereApproved = await areSettingsApproved(context);
  if (isWriting && launcher !== null) writeLauncher(launcher, host);
  if (isWriting) await writeAndApprove(prepared, wereApproved, input);
  if (!isDry) await sealWritten(target, host, false);

  if (isWriting) await updateRegistrations(context.scopes, options, host);
  if (options.json) return print(`${adoptJson(report)}\n`, host);
  const isDouble = adoption.adopted.length > 0 && !isCovered(target, host);
  const twice = (isDouble ? report.others : []).map((other) => `  ${doubleNote(target, other)}\n`);
  return print(adoptText(report, host.argv, await stdoutStyle(options, host)) + twice.join(""), host);
}

async function confirm(intro: string, { target, host }: AdoptInput): Promise<void> {
  const choices = { yes: "move these hooks", no: "change nothing" };
  const question = { intro, question: "Move and approve them?", choices };
  const detail = "Nothing was changed: adopt asks first, but there is no terminal.";
  const tryThis = commandFor("adopt", target, ["--yes"]);
  await requireYes(await host.openTerminal(), question, { code: "USAGE_WRONG_WORDS", detail, tryThis });
}

/** Puts the hooks back into the agent's settings. */
async function undo(input: AdoptInput): Promise<CommandResult> {
  const { target, settings, isDry, host } = input;
  const { options } = target;
  const { undos, stays } = adoptionUndo(target, settings, host);
  if (!isDry) await undoAdoption(undos, input);
  const report = { ...reportHead(input), changes: undos, stays };
  if (options.json) return print(`${adoptUndoJson(report)}\n`, host);
  // The text does not advise against registrations that were there before.
  return print(adoptUndoText({ ...report, others: [] }, host.argv, await stdoutStyle(options, host)), host);
}

const reportHead = ({ target, isDry, host }: AdoptInput) => ({
  agent: target.agent.name,
  scope: target.scope,
  file: target.shown,
  isDry,
  directory: target.options.directory,
  others: otherRegistrations(target, host),
});

/** Fails for settings with any problem: hooks that were moved into them would not run. */
async function contextWithoutProblems({ target, host }: AdoptInput): Promise<CreatedContext> {
  const started = unwrap(await createRunContext(target.options, host, true));
  const [problem] = started.loaded.problems;
  if (problem !== undefined) throw new ProblemError(problem);
  return started;
}

/** Approves the adopted hooks, which ran before and were just shown; without an approval they would stop running. */
async function writeAndApprove(
  { adoption, writes }: PreparedAdoption,
  wereApproved: boolean,
  input: AdoptInput,
): Promise<void> {
  const { target, settings, host } = input;
  const rollBack = await withSettingsLock(host, () => writeSettingsFiles(writes, "adopt", host));
  if (target.scope === "user") return;
  try {
    const { context } = await contextWithoutProblems(input);
    const names = adoption.adopted.map(({ name }) => name);
    const own = entriesInFile({ path: settings.path }, context.plan).filter(({ name }) => names.includes(name));
    // Settings that were approved as a whole are approved again, with the adopted hooks in them.
    unwrap(wereApproved ? await approveSettings(context) : await approve(own, context));
  } catch (error) {
    rollBack();
    throw error;
  }
}
