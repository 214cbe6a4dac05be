import { type CommandResult, reportProblem } from "../cli/command-result.ts";
import type { AnyCommandLine } from "../cli/parse.ts";
import { readRunOptions } from "../cli/run-options.ts";
import type { Host } from "../host.ts";
import { ok } from "../protocol/result.ts";
import { run } from "./run/run.ts";

/** Executes a command and reports the problem that ended it. Returns the exit code. */
export async function dispatch(line: AnyCommandLine, host: Host): Promise<number> {
  const ended = await execute(line, host);
  return ended.ok ? ended.value : reportProblem(ended.error, host);
}

/** The commands that agents call are handled here, so that they do not load the table of the others. */
async function execute(line: AnyCommandLine, host: Host): Promise<CommandResult> {
  if (line.command === "list") return (await import("./list.ts")).list(line.options, host);
  if (line.command === "status") return (await import("./log/status.ts")).status(line.options, host);
  if (line.command === "bridge") return ok(await (await import("./bridge.ts")).bridge(line, host));
  if (line.command !== "run") return (await import("./command-handlers.ts")).executeRare(line, host);
  const options = readRunOptions(line, host);
  if (!options.ok) return options;
  if (!options.value.dryRun) return run(options.value, host);
  return (await import("./run/dry-run.ts")).dryRun(options.value, host);
}
