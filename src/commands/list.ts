import { orderHooks } from "../chain/order.ts";
import { ignoredVariables } from "../cli/agent-variables.ts";
import { type CommandResult, print, withProblem } from "../cli/command-result.ts";
import type { OptionsOf } from "../cli/command-table.ts";
import { stdoutStyle } from "../cli/stream-style.ts";
import { ignoredFilesIn } from "../config/load-settings.ts";
import { lacksExecuteBit } from "../discover/identify.ts";
import { createCheckedContext } from "../engine/create-run-context.ts";
import { findAllCandidates } from "../engine/hooks/candidates.ts";
import { resolveHooks } from "../engine/hooks/resolve-hooks.ts";
import { listHooks, unknownHookOption } from "../engine/hooks/select-hooks.ts";
import type { Host } from "../engine/host.ts";
import { callDepth, DEPTH_LIMIT, hooksAreOff, type RunContext } from "../engine/run-context.ts";
import { unreadableSettings } from "../engine/settings/effective-settings.ts";
import { unusedDigest } from "../engine/trust-statuses.ts";
import { firstBytes } from "../fs/read-file.ts";
import { closeInheritedOnFirstStart } from "../process/spawn-child.ts";
import type { AgentName } from "../protocol/agent-names.ts";
import type { EventName } from "../protocol/event.ts";
import { signalExitCode } from "../protocol/exit-code.ts";
import { appliesTo, type Hook } from "../protocol/hook.ts";
import { fail, ok, unwrap } from "../protocol/result.ts";
import type { Warning } from "../protocol/warning.ts";
import { type Listing, listJson } from "../report/list-json.ts";
import { programSummary } from "../report/trust/program-summary.ts";

/** Lists every hook in run order, by event. Never starts a hook that is not approved. */
export async function list(options: OptionsOf<"list">, host: Host): Promise<CommandResult> {
  const depth = callDepth(host.env);
  if (depth >= DEPTH_LIMIT) return fail({ code: "RECURSION", depth });
  const { context, loaded } = unwrap(await createCheckedContext(options, host, !hooksAreOff(options, host)));

  closeInheritedOnFirstStart();
  const resolved = await resolveHooks(findAllCandidates(context), context, null);
  const hookSet = { ...resolved, hooks: await withCommands(resolved.hooks, context) };
  const signal = host.interrupt.raised();
  if (signal !== null) return ok(signalExitCode(signal));
  const unknown = unknownHookOption(options, hookSet);
  if (unknown !== null) return fail(unknown);
  const { registeredAgents } = await import("../../packages/connect/install/agent-files.ts");
  const agents = registeredAgents(context.scopes, context.env);
  const warnings = [
    ...loaded.warnings,
    ...unreadableSettings(ignoredFilesIn(context.plan, "project")),
    ...hookSet.warnings,
    ...hookSet.notices,
    ...ignoredByAgents(agents, host),
  ];
  const hooks = listHooks(hookSet, options, context.settings);
  const portability = await portabilityIn(hooks, agents);
  const listing: Listing = { ...hookSet, hooks, portability, warnings: await textsOf(warnings) };
  const partial = loaded.partialProblems[0] ?? unusedDigest(warnings, context, false);
  const printListing = async (complete: Listing) => withProblem(partial, await show(complete, options, context, host));
  if (!options.isStrict) return printListing(listing);
  const { strictExitCode, findNotReady, writeNotReady } = await import("./run/strict.ts");
  const selected =
    options.event === null && options.source === null ? hookSet.hooks : hookSet.hooks.filter(isSelected(options));
  const notReady = findNotReady({
    hooks: selected,
    skipped: hookSet.skipped,
    warnings,
    isOff: hooksAreOff(options, host),
    choice: options,
  });
  const printed = await printListing({ ...listing, notReady });
  if (!options.json) writeNotReady(notReady, host);
  return strictExitCode(notReady, printed);
}

/** The list is that of a `run` with these variables; an agent's call ignores them. */
const ignoredByAgents = (agents: readonly AgentName[], host: Host): readonly Warning[] =>
  agents.length === 0
    ? []
    : ignoredVariables(host).map((variable) => ({ code: "VARIABLE_IGNORED", variable, agent: "agents" }));

/** The tables of agents are loaded only if there are hooks. */
async function portabilityIn(hooks: readonly Hook[], agents: readonly AgentName[]) {
  if (hooks.every(({ kind }) => kind === "guard")) return new Map<string, never>();
  const { listedPortability } = await import("../../packages/connect/doctor/hook-portability.ts");
  return listedPortability(hooks, agents);
}

/** Checks the commands of declared hooks. The shell parser is loaded only if there are any. */
async function withCommands(hooks: readonly Hook[], context: RunContext): Promise<readonly Hook[]> {
  if (hooks.every(({ entry }) => entry === null)) return hooks;
  return (await import("../engine/hooks/missing-command.ts")).withMissingCommands(hooks, context);
}

/** A hook without a declared event may handle any. */
const isSelected =
  ({ event, source }: OptionsOf<"list">) =>
  (hook: Hook): boolean =>
    (source === null || hook.source === source) && (event === null || appliesTo(hook, event));

async function show(
  listing: Listing,
  options: OptionsOf<"list">,
  context: RunContext,
  host: Host,
): Promise<CommandResult> {
  if (options.json) return print(`${listJson(listing)}\n`, host);
  const { listText } = await import("../report/list-text.ts");
  const runOrder = (event: EventName) => orderHooks(listing.hooks, event, context.settings);
  const base = { cwd: host.cwd, homeDir: context.scopes.homeDir };
  const needExecuteBit = new Set(listing.skipped.filter(lacksExecuteBit).map(({ path }) => path));
  const input = { ...listing, ...options, ...base, runOrder, summaries: summariesOf(listing.hooks), needExecuteBit };
  return print(listText(input, await stdoutStyle(options, host)), host);
}

/** The messages are loaded only if there are warnings. */
async function textsOf(warnings: readonly Warning[]): Promise<readonly string[]> {
  return warnings.length === 0 ? [] : warnings.map((await import("../protocol/warning.ts")).warningText);
}

/** Summaries of files that may not run: the interpreter and the length. */
function summariesOf(hooks: readonly Hook[]): ReadonlyMap<string, string> {
  const refused = hooks.filter((hook) => hook.refusal !== null && hook.entry === null);
  return new Map(refused.map((hook) => [hook.path, programSummary(firstBytes(hook.path, 256 * 1024))]));
}
