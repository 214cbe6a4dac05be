import { type CommandResult, print } from "../../cli/command-result.ts";
import type { CommandLine } from "../../cli/command-table.ts";
import { stdoutStyle } from "../../cli/stream-style.ts";
import { createRunContext } from "../../engine/run-context.ts";
import type { Host } from "../../host.ts";
import { EXIT } from "../../protocol/exit-code.ts";
import { ok } from "../../protocol/result.ts";
import { statsJson, statsText } from "../../report/stats-text.ts";
import { statsCollector } from "./hook-stats.ts";
import { readLineFilter } from "./line-filter.ts";
import { nothingRecorded } from "./nothing-recorded.ts";
import { readingProgress } from "./reading-progress.ts";
import { wantedRuns } from "./selected-lines.ts";

/** `hookctl stats`: what each hook did, and how long it took. */
export async function stats({ options }: CommandLine<"stats">, host: Host): Promise<CommandResult> {
  const started = await createRunContext(options, host, false);
  if (!started.ok) return started;
  const filter = readLineFilter(options, host);
  if (!filter.ok) return filter;

  const { context } = started.value;
  const untilMs = host.nowMs();
  const collector = statsCollector({ sinceMs: filter.value.sinceMs, untilMs, glob: options.only });
  const progress = readingProgress(options, host);
  for (const run of wantedRuns(context.auditFile, filter.value, progress.onProgress)) collector.add(run);
  progress.end();
  const collected = collector.result();
  if (options.json) return print(`${statsJson({ ...collected, untilMs, isoTime })}\n`, host);
  if (collected.hooks.length > 0) {
    const view = { ...collected, lengthMs: untilMs - collected.sinceMs, width: host.stdoutColumns() };
    return print(statsText(view, await stdoutStyle(options, host)), host);
  }
  if (!options.quiet) host.err(nothingRecorded(context));
  return ok(EXIT.ok);
}

const isoTime = (ms: number): string => new Date(ms).toISOString();
