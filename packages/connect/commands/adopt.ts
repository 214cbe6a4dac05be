import { type CommandResult, print } from "../../../src/cli/command-result.ts";
import type { CommandLine } from "../../../src/cli/command-table.ts";
import { requirePerson } from "../../../src/cli/prompt/require-person.ts";
import { stdoutStyle } from "../../../src/cli/stream-style.ts";
import { updateRegistrations } from "../../../src/cli/update-registrations.ts";
import { approve, approveSettings, areSettingsApproved } from "../../../src/engine/approve-unseen.ts";
import { type CreatedContext, createRunContext } from "../../../src/engine/create-run-context.ts";
import type { Host } from "../../../src/engine/host.ts";
import { entriesInFile } from "../../../src/engine/settings/project-settings.ts";
import { AGENT_NAMES, type AgentName } from "../../../src/protocol/agent-names.ts";
import type { Problem } from "../../../src/protocol/problem.ts";
import { fail, ok, ProblemError, type Result, unwrap } from "../../../src/protocol/result.ts";
import { AGENTS, adoptableAgents } from "../../agents/agents.ts";
import { missingVariables, type PreparedAdoption, prepareAdoption } from "../install/adopt/adopt-hooks.ts";
import type { AdoptedHook } from "../install/adopt/convert-hooks.ts";
import { type HookctlSettings, hookctlSettingsFor } from "../install/adopt/hookctl-settings.ts";
import { adoptionUndo, undoAdoption } from "../install/adopt/undo-adoption.ts";
import { hookctlProgram } from "../install/agent-shell.ts";
import { hookRequirementsIn } from "../install/hook-requirements.ts";
import { doubleNote } from "../install/install-notes.ts";
import { type InstallTarget, otherRegistrations, readInstallTarget } from "../install/install-target.ts";
import { planLauncher, writeLauncher } from "../install/launcher.ts";
import { sealWritten } from "../install/seal/write-seal.ts";
import { writeSettingsFiles } from "../install/settings-file/write-settings-files.ts";
import { adoptJson, adoptText, adoptUndoJson, adoptUndoText } from "../report/adopt-text.ts";
import { agentCommand } from "../report/agent-command.ts";

/** Moves the hooks in an agent's settings into hookctl's, where they are ordered, recorded and run for every agent. */
export async function adopt(line: CommandLine<"adopt">, host: Host): Promise<CommandResult> {
  const foreign = AGENT_NAMES.find((name) => name === line.args[0] && !adoptableAgents().includes(name));
  if (foreign !== undefined) return fail(notAdoptable(foreign, line));
  const target = readInstallTarget(line, host, adoptableAgents());
  if (!target.ok) return target;
  const settings = hookctlSettingsFor(target.value);
  const isDry = line.options.dryRun;
  if (!isDry) await requirePerson(host);
  const input = { target: target.value, settings, isDry, host };
  return line.options.undo ? undo(input) : moveHooks(input);
}

interface AdoptInput {
  readonly target: InstallTarget;
  readonly settings: HookctlSettings;
  readonly isDry: boolean;
  readonly host: Host;
}

async function moveHooks(input: AdoptInput): Promise<CommandResult> {
  const { target, settings, isDry, host } = input;
  const { options, scope } = target;
  const { context } = await contextWithoutProblems(target, host);
  const requirements = await hookRequirementsIn(context);
  const program = await hookctlProgram(target, host);
  const launcher = await planLauncher(target, program, host);
  const prepared = prepareAdoption(target, settings, { requirements, program, host });
  const { adoption, writes } = prepared;
  const isWriting = !isDry && writes.length > 0;
  const wereApproved = await areSettingsApproved(context);
  const problem = isWriting && launcher !== null ? writeLauncher(launcher) : null;
  if (problem !== null) return fail(problem);
  const written = isWriting ? await writeAndApprove(prepared, wereApproved, input) : ok(null);
  if (!written.ok) return written;
  await sealWritten(target, host, false);

  if (isWriting) await updateRegistrations(context.scopes, options, host);
  const missing = scope === "user" ? [] : missingVariables(adoption.adopted, context.settings.envAllow);
  const report = { ...reportHead(input), changes: writes, ...adoption, missing };
  if (options.json) return print(`${adoptJson(report)}\n`, host);
  const twice = adoption.adopted.length === 0 ? [] : report.others.map((other) => `  ${doubleNote(other)}\n`);
  return print(adoptText(report, host.argv, await stdoutStyle(options, host)) + twice.join(""), host);
}

/** Puts the hooks back into the agent's settings. */
async function undo(input: AdoptInput): Promise<CommandResult> {
  const { target, settings, isDry, host } = input;
  const { options } = target;
  const { undos, stays } = adoptionUndo(target, settings, host);
  const written = isDry ? ok(null) : await undoAdoption(undos, input);
  if (!written.ok) return written;
  const report = { ...reportHead(input), changes: undos, stays };
  if (options.json) return print(`${adoptUndoJson(report)}\n`, host);
  return print(adoptUndoText(report, host.argv, await stdoutStyle(options, host)), host);
}

const reportHead = ({ target, isDry, host }: AdoptInput) => ({
  agent: target.agent.name,
  scope: target.scope,
  isDry,
  directory: target.options.directory,
  others: otherRegistrations(target, host),
});

const notAdoptable = (agent: AgentName, { options }: CommandLine<"adopt">): Problem => ({
  code: "USAGE_WRONG_WORDS",
  detail: `${AGENTS[agent].title} sends its hooks a different payload from ${adoptableAgents().join(", ")}; they were not moved.`,
  tryThis: agentCommand("install", { agent, scope: "project", directory: options.directory }),
});

/** Fails for settings with any problem: hooks that were moved into them would not run. */
async function contextWithoutProblems({ options }: InstallTarget, host: Host): Promise<CreatedContext> {
  const started = unwrap(await createRunContext(options, host, true));
  const [problem] = started.loaded.problems;
  if (problem !== undefined) throw new ProblemError(problem);
  return started;
}

/** Approves the adopted hooks, which ran before and were just shown; without an approval they would stop running. */
async function writeAndApprove(
  { adoption, writes }: PreparedAdoption,
  wereApproved: boolean,
  input: AdoptInput,
): Promise<Result<null, Problem>> {
  const { target, host } = input;
  const written = writeSettingsFiles(writes, "adopt", host);
  if (!written.ok) return written;
  const approved = target.scope === "user" ? ok(null) : await approveAdopted(adoption.adopted, wereApproved, input);
  if (approved.ok) return approved;
  const rollBack = written.value;
  return fail(rollBack() ?? approved.error);
}

/** Settings that were approved as a whole are approved again, with the adopted hooks in them. */
async function approveAdopted(
  adopted: readonly AdoptedHook[],
  wereApproved: boolean,
  { target, settings, host }: AdoptInput,
): Promise<Result<null, Problem>> {
  // A failure is returned and not thrown: the written files are rolled back.
  const started = await createRunContext(target.options, host, true);
  if (!started.ok) return started;
  const { context, loaded } = started.value;
  if (loaded.problems[0] !== undefined) return fail(loaded.problems[0]);
  const names = adopted.map(({ name }) => name);
  const own = entriesInFile({ path: settings.path }, context.plan).filter(({ name }) => names.includes(name));
  const approved = wereApproved ? await approveSettings(context) : await approve(own, context);
  return approved.ok ? ok(null) : approved;
}
