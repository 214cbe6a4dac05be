import { type CommandResult, print, withProblem } from "../../cli/command-result.ts";
import { stderrStyle } from "../../cli/stream-style.ts";
import { ignoredFilesIn } from "../../config/load-settings.ts";
import { createRunContext } from "../../engine/create-run-context.ts";
import { findAllCandidates } from "../../engine/hooks/candidates.ts";
import { withMissingCommands } from "../../engine/hooks/missing-command.ts";
import { resolveHooks } from "../../engine/hooks/resolve-hooks.ts";
import { unknownHookOption } from "../../engine/hooks/select-hooks.ts";
import type { Host } from "../../engine/host.ts";
import { orderedHooks } from "../../engine/run/run-event.ts";
import { unreadableSettings } from "../../engine/settings/effective-settings.ts";
import { unusedDigest } from "../../engine/trust-statuses.ts";
import { closeInheritedOnFirstStart } from "../../process/spawn-child.ts";
import { signalExitCode } from "../../protocol/exit-code.ts";
import { fail, ok, unwrap } from "../../protocol/result.ts";
import { warningText } from "../../protocol/warning.ts";
import { planJson, planText } from "../../report/run/plan-text.ts";
import type { RunCommandOptions } from "./run-options.ts";
import { findNotReady, strictExitCode, writeNotReady } from "./strict.ts";

/** `run --dry-run`: prints which hooks would start, in order. Needs no payload. */
export async function dryRun(options: RunCommandOptions, host: Host): Promise<CommandResult> {
  // With --strict approved hooks are started for their event, as in `list`: a hook may fail to report it.
  const { context, loaded } = unwrap(await createRunContext(options, host, options.isStrict && !options.isOff));
  const [problem] = loaded.problems;
  if (problem !== undefined) return fail(problem);
  if (options.isStrict) closeInheritedOnFirstStart();
  const hookSet = await resolveHooks(findAllCandidates(context), context, options.event);
  const signal = host.interrupt.raised();
  if (signal !== null) return ok(signalExitCode(signal));
  const unknown = unknownHookOption(options, hookSet);
  if (unknown !== null) return fail(unknown);
  const concerned = orderedHooks(options.event, hookSet, context);
  const hooks = options.isStrict ? withMissingCommands(concerned, context) : concerned;
  const warnings = [...loaded.warnings, ...hookSet.warnings, ...hookSet.notices];
  if (!options.quiet)
    host.err(planText(options.event, hooks, warnings.map(warningText), await stderrStyle(options, host)));
  const partial = loaded.partialProblems[0] ?? unusedDigest(warnings, context, false);
  const printPlan = (text: string) => withProblem(partial, print(text, host));
  if (!options.isStrict) return printPlan(`${planJson(hooks, null, options.json)}\n`);
  const notReady = findNotReady({
    hooks,
    skipped: hookSet.skipped,
    warnings: [...warnings, ...unreadableSettings(ignoredFilesIn(context.plan, "project"))],
    isOff: options.isOff,
    choice: options,
  });
  const printed = printPlan(`${planJson(hooks, notReady, options.json)}\n`);
  writeNotReady(notReady, host);
  return strictExitCode(notReady, printed);
}
