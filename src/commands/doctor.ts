import { readAgent } from "../cli/bridge-options.ts";
import { hooksAreOff, readCommonOptions } from "../cli/common-options.ts";
import type { CommandLine } from "../cli/option-table.ts";
import { print, refuse } from "../cli/output.ts";
import { stdoutStyle } from "../cli/style.ts";
import { agentChecks } from "../doctor/agent-checks.ts";
import { hookctlChecks } from "../doctor/hookctl-checks.ts";
import { callDepth, createRunContext, DEPTH_LIMIT } from "../engine/run-context.ts";
import type { Host } from "../host.ts";
import { hookRequirementsIn } from "../install/hook-needs-here.ts";
import { closeInheritedOnFirstStart } from "../process/descriptors.ts";
import type { Checkup } from "../protocol/checkup.ts";
import { EXIT, signalExitCode } from "../protocol/exit-code.ts";
import { ok } from "../protocol/result.ts";
import { doctorJson, doctorText } from "../report/doctor-text.ts";

/** Looks whether everything works that has to work for a hook to block. Prompts nobody, and changes no setting. */
export async function doctor(line: CommandLine, host: Host): Promise<number> {
  const options = readCommonOptions(line);
  if (!options.ok) return refuse(options.error, host);
  const named = line.args.length === 0 ? ok(null) : readAgent(line);
  if (!named.ok) return refuse(named.error, host);
  const depth = callDepth(host.env);
  if (depth >= DEPTH_LIMIT) return refuse({ code: "RECURSION", depth }, host);
  const started = await createRunContext(options.value, host, !hooksAreOff(options.value, host));
  if (!started.ok) return refuse(started.error, host);

  closeInheritedOnFirstStart();
  // Heard from here on, so that a signal between two starts does not leave the scratch folders behind.
  host.interrupt.listen(() => undefined);
  const own = await hookctlChecks(started.value, host);
  const needs = await hookRequirementsIn(started.value.context);
  const ofAgents = await agentChecks(named.value, { options: options.value, needs }, host);
  const signal = host.interrupt.raised();
  if (signal !== null) return signalExitCode(signal);

  const checks = [...own, ...ofAgents];
  const style = await stdoutStyle(options.value, host);
  const printed = await print(options.value.json ? `${doctorJson(checks)}\n` : doctorText(checks, style), host);
  if (printed !== EXIT.ok) return printed;
  return checks.some(hasFailed) ? EXIT.checkFailed : EXIT.ok;
}

const hasFailed = ({ status }: Checkup): boolean => status === "fail";
