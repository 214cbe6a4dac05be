import { callDepth, DEPTH_LIMIT } from "../engine/run-context.ts";
import { closeInheritedOnFirstStart } from "../process/descriptors.ts";
import type { Checkup } from "../protocol/checkup.ts";
import { EXIT, signalExitCode } from "../protocol/exit-code.ts";
import { ok } from "../protocol/result.ts";
import { doctorJson, doctorText } from "../report/doctor-text.ts";
import type { World } from "../world.ts";
import { agentChecks } from "./agent-checks.ts";
import { readAgent } from "./bridge-flags.ts";
import type { RawLine } from "./flag-table.ts";
import { isSwitchedOff, readFlags } from "./flags.ts";
import { hookRequirementsIn } from "./hook-needs-here.ts";
import { hookctlChecks } from "./hookctl-checks.ts";
import { createRunContext, print, refuse } from "./start.ts";
import { styleFor } from "./style-for.ts";

/** Looks whether everything works that has to work for a hook to block. Prompts nobody, and changes no setting. */
export async function doctor(line: RawLine, world: World): Promise<number> {
  const flags = readFlags(line);
  if (!flags.ok) return refuse(flags.error, world);
  const named = line.words.length === 0 ? ok(null) : readAgent(line);
  if (!named.ok) return refuse(named.error, world);
  const depth = callDepth(world.env);
  if (depth >= DEPTH_LIMIT) return refuse({ code: "RECURSION", depth }, world);
  const started = await createRunContext(flags.value, world, !isSwitchedOff(flags.value, world));
  if (!started.ok) return refuse(started.error, world);

  closeInheritedOnFirstStart();
  // Heard from here on, so that a signal between two starts does not leave the scratch folders behind.
  world.interrupt.listen(() => undefined);
  const own = await hookctlChecks(started.value, world);
  const needs = await hookRequirementsIn(started.value.context);
  const ofAgents = await agentChecks(named.value, { flags: flags.value, needs }, world);
  const signal = world.interrupt.raised();
  if (signal !== null) return signalExitCode(signal);

  const checks = [...own, ...ofAgents];
  const style = await styleFor(flags.value, world);
  const printed = await print(flags.value.json ? `${doctorJson(checks)}\n` : doctorText(checks, style), world);
  if (printed !== EXIT.goOn) return printed;
  return checks.some(hasFailed) ? EXIT.checkFailed : EXIT.goOn;
}

const hasFailed = ({ status }: Checkup): boolean => status === "fail";
