import { ignoredVariables, withoutHookctlVariables } from "../../../src/cli/agent-variables.ts";
import { type CommandResult, print } from "../../../src/cli/command-result.ts";
import type { CommandLine } from "../../../src/cli/command-table.ts";
import { stdoutStyle } from "../../../src/cli/stream-style.ts";
import { createRunContext } from "../../../src/engine/create-run-context.ts";
import { findAllCandidates } from "../../../src/engine/hooks/candidates.ts";
import { resolveHooks } from "../../../src/engine/hooks/resolve-hooks.ts";
import type { Host } from "../../../src/engine/host.ts";
import { callDepth, DEPTH_LIMIT, hooksAreOff } from "../../../src/engine/run-context.ts";
import { closeInheritedOnFirstStart } from "../../../src/process/spawn-child.ts";
import { type Checkup, doubtful } from "../../../src/protocol/doctor-check.ts";
import { EXIT, signalExitCode } from "../../../src/protocol/exit-code.ts";
import { fail, ok, unwrap } from "../../../src/protocol/result.ts";
import { readAgent } from "../../agents/agent-argument.ts";
import { progressLine } from "../../screen/progress-line.ts";
import { ownHooksChecks } from "../../testing/own-hooks-check.ts";
import { agentChecks, connectedAgents } from "../doctor/agent-checks.ts";
import { portabilityChecks } from "../doctor/hook-portability.ts";
import { hookctlChecks } from "../doctor/hookctl-checks.ts";
import { hookRequirementsIn } from "../install/hook-requirements.ts";
import { droppedTexts } from "../install/seal/dropped-guards.ts";
import { doctorJson, doctorText } from "../report/doctor-text.ts";

/** Checks that hooks can block. It shows no prompt and changes no settings. */
export async function doctor(line: CommandLine<"doctor">, around: Host): Promise<CommandResult> {
  const host = withoutHookctlVariables(around);
  const { options } = line;
  const named = [...new Set(line.args.map((word) => unwrap(readAgent({ command: "doctor", args: [word] }))))];
  const depth = callDepth(host.env);
  if (depth >= DEPTH_LIMIT) return fail({ code: "RECURSION", depth });
  const started = unwrap(await createRunContext(options, host, !hooksAreOff(options, host)));

  closeInheritedOnFirstStart();
  // From here on signals are handled, so that no temporary folders are left behind.
  host.interrupt.listen(() => undefined);
  let part = "hookctl";
  const progress = progressLine(host, options.quiet, () => `checking ${part}`);
  const own = await hookctlChecks(started, host);
  const { context } = started;
  const needs = await hookRequirementsIn(context);
  const ofAgents = await agentChecks(named, { options, needs, dropped: droppedTexts(context) }, host, (title) => {
    part = title;
  });
  part = "your hooks";
  const { hooks } = await resolveHooks(findAllCandidates(context), context, null);
  const agents = connectedAgents(options, host).filter((agent) => named.length === 0 || named.includes(agent));
  const ofHooks = [
    ...(await portabilityChecks(hooks, connectedAgents(options, host))),
    ...(await ownHooksChecks(hooks, agents, context)),
  ];
  progress.end();
  const signal = host.interrupt.raised();
  if (signal !== null) return ok(signalExitCode(signal));

  const checks = [...own, ...ignoredVariables(around).map(ignoredCheck), ...ofAgents, ...ofHooks];
  const style = await stdoutStyle(options, host);
  const printed = print(options.json ? `${doctorJson(checks)}\n` : doctorText(checks, style), host);
  return printed.ok && checks.some(hasFailed) ? ok(EXIT.checkFailed) : printed;
}

const ignoredCheck = (variable: string): Checkup =>
  doubtful("environment", `${variable} has no effect when an agent calls hookctl`, null);

const hasFailed = ({ status }: Checkup): boolean => status === "fail";
