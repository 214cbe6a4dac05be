import { unreadPlans } from "../config/load-settings.ts";
import { findAllCandidates } from "../engine/hooks/find-all.ts";
import { withMissingCommands } from "../engine/hooks/missing-command.ts";
import { resolveHooks } from "../engine/hooks/resolve-hooks.ts";
import { unknownHookOption } from "../engine/hooks/unknown-hook-option.ts";
import { orderedHooks } from "../engine/run/run-event.ts";
import { unreadableSettings } from "../engine/settings/unreadable-settings.ts";
import { closeInheritedOnFirstStart } from "../process/descriptors.ts";
import { signalExitCode } from "../protocol/exit-code.ts";
import { warningText } from "../protocol/warning.ts";
import { planJson, planText } from "../report/plan-text.ts";
import { PLAIN_STYLE } from "../report/style.ts";
import type { World } from "../world.ts";
import type { RunFlags } from "./run-flags.ts";
import { codeBeside, createRunContext, print, refuse } from "./start.ts";
import { codeOf, findNotReady, tellNotReady } from "./strict.ts";

/** `run --dry-run`: what would be started, in which order. Runs no hook and needs no payload. */
export async function plan(flags: RunFlags, world: World): Promise<number> {
  // What a hook answers is known only when it was asked: a strict plan asks the approved ones, as `list` does.
  const started = await createRunContext(flags, world, flags.isStrict && !flags.isOff);
  if (!started.ok) return refuse(started.error, world);
  const { context, loaded } = started.value;
  const [problem] = loaded.problems;
  if (problem !== undefined) return refuse(problem, world);
  if (flags.isStrict) closeInheritedOnFirstStart();
  const hookSet = await resolveHooks(findAllCandidates(context), context, flags.event);
  const signal = world.interrupt.raised();
  if (signal !== null) return signalExitCode(signal);
  const unknown = unknownHookOption(flags, hookSet);
  if (unknown !== null) return refuse(unknown, world);
  const concerned = flags.isOff ? [] : orderedHooks(flags.event, hookSet, context);
  const hooks = flags.isStrict ? withMissingCommands(concerned, context) : concerned;
  const told = [...loaded.warnings, ...hookSet.warnings, ...hookSet.notices];
  if (!flags.quiet) world.err(planText(flags.event, hooks, told.map(warningText), PLAIN_STYLE));
  const tell = async (text: string) => codeBeside(loaded.sharedProblem, await print(text, world), world);
  if (!flags.isStrict) return tell(`${planJson(hooks, null)}\n`);
  const notReady = findNotReady({
    hooks,
    skipped: hookSet.skipped,
    warnings: [...told, ...unreadableSettings(unreadPlans(context.plan, "project"))],
    isOff: flags.isOff,
    choice: flags,
  });
  const printed = await tell(`${planJson(hooks, notReady)}\n`);
  tellNotReady(notReady, world);
  return codeOf(notReady, printed);
}
