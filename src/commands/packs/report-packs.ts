import { type CommandResult, print, reportProblem, withProblem } from "../../cli/command-result.ts";
import { stdoutStyle } from "../../cli/stream-style.ts";
import { updateRegistrations } from "../../install/update-registrations.ts";
import { signalExitCode } from "../../protocol/exit-code.ts";
import type { Problem } from "../../protocol/problem.ts";
import { ok, type Result } from "../../protocol/result.ts";
import { type PackReport, packsJson, packsText } from "../../report/pack-text.ts";
import type { PackSite } from "./pack-site.ts";

/** Prints what became of each pack. The first problem ends the command; the others are reported before it. */
export async function reportPacks(
  { options, host, context }: PackSite,
  results: readonly Result<PackReport, Problem>[],
): Promise<CommandResult> {
  const reports = results.flatMap((one) => (one.ok ? [one.value] : []));
  const [problem = null, ...others] = results.flatMap((one) => (one.ok ? (one.value.problem ?? []) : one.error));
  const text = results.length === 0 ? NOTHING : packsText(reports, await stdoutStyle(options, host));
  const printed = print(options.json ? `${packsJson(reports)}\n` : text, host);
  // A changed pack may handle other events.
  if (reports.some(({ action }) => action !== "unchanged"))
    await updateRegistrations(context.scopes, { ...options, trust: false }, host);
  const signal = host.interrupt.raised();
  if (signal !== null) return ok(signalExitCode(signal));
  for (const other of others) await reportProblem(other, host);
  return withProblem(problem, printed);
}

const NOTHING = "No packs were added yet. Add one: hookctl add owner/repo\n";
