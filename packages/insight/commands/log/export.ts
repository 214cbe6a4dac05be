import { hostname, platform } from "node:os";
import { resolve } from "node:path";
import { type CommandResult, print, reportProblem } from "../../../../src/cli/command-result.ts";
import type { CommandLine } from "../../../../src/cli/command-table.ts";
import { versionText } from "../../../../src/cli/help.ts";
import { progressLine } from "../../../../src/cli/progress-line.ts";
import { stderrStyle } from "../../../../src/cli/stream-style.ts";
import { createRunContext } from "../../../../src/engine/create-run-context.ts";
import type { Host } from "../../../../src/engine/host.ts";
import { EXIT, signalExitCode } from "../../../../src/protocol/exit-code.ts";
import type { Problem } from "../../../../src/protocol/problem.ts";
import { fail, ok, type Result } from "../../../../src/protocol/result.ts";
import { pluralize } from "../../../../src/protocol/text/count.ts";
import { newCursor } from "../../export/cursor.ts";
import { exportRuns, exportTotals, newTally, type Tally } from "../../export/export-log.ts";
import { httpSink } from "../../export/http-sink.ts";
import { ATTRIBUTE } from "../../export/otlp.ts";
import type { Exporter } from "../../export/requests.ts";
import { type ExportEnd, type ExportRequest, exportOnce, followLog } from "../../export/run-export.ts";
import { folderSink, type Sink } from "../../export/sink.ts";
import { readTarget, resourceOf } from "../../export/target.ts";
import { exportJson, exportText } from "../../report/export-text.ts";

/** How long a collector may be unreachable before the export ends; `--deadline` changes it. */
const PATIENCE_MS = 30_000;
const FIRST_PAUSE_MS = 1_000;

/** `hookctl export`: sends recorded runs to a collector, or writes them to a folder. */
export async function exportRecorded(line: CommandLine<"export">, host: Host): Promise<CommandResult> {
  const { options } = line;
  const started = await createRunContext(options, host, false);
  if (!started.ok) return started;
  const { auditFile, settings } = started.value.context;
  if (auditFile === null) return fail({ code: "EXPORT_NO_LOG" });
  // Without a listener a signal would end the process instead of the pause between two exports.
  host.interrupt.listen(() => undefined);
  const call = { auditFile, host, tally: newTally(), ...line };
  if (options.output !== null) return toFolder(resolve(host.cwd, options.output), call);
  const sink = openCollector(settings.exportTo, call);
  return sink.ok ? toCollector(sink.value, call) : sink;
}

interface ExportCall extends CommandLine<"export"> {
  readonly auditFile: string;
  readonly host: Host;
  readonly tally: Tally;
}

function openCollector(setting: string | null, { host, options }: ExportCall): Result<Sink, Problem> {
  const target = readTarget(setting, host.env);
  if (!target.ok) return fail({ code: "EXPORT_BAD_VALUE", ...target.error });
  if (target.value === null) return fail({ code: "EXPORT_NOT_CONFIGURED" });
  const patience = {
    forMs: options.deadlineMs ?? PATIENCE_MS,
    firstPauseMs: FIRST_PAUSE_MS,
    elapsedMs: host.elapsedMs,
    nowMs: host.nowMs,
    random: host.random,
    pause: (ms: number) => pauseFor(ms, host),
  };
  return ok(httpSink(target.value, versionText().trim(), patience));
}

/** Sends from the cursor on, and moves it. */
async function toCollector(sink: Sink, call: ExportCall): Promise<CommandResult> {
  const { host, auditFile, tally, options } = call;
  const progress = progressLine(host, options.quiet, () => `exporting: ${pluralize(tally.runs, "run")}`);
  const request: ExportRequest = {
    auditFile,
    sink,
    tally,
    nowMs: host.nowMs,
    elapsedMs: host.elapsedMs,
    isStopped: () => host.interrupt.raised() !== null,
    exporterFor: (instance) => exporterFor(instance, host),
    pause: (ms) => pauseFor(ms, host),
  };
  const report = (problem: Problem): void => {
    progress.clear();
    void reportProblem(problem, host);
  };
  const ended = await (options.isFollowing ? followLog(request, report) : exportOnce(request));
  progress.end();
  sink.close();
  return finish(ended, sink, call);
}

/** Writes the whole log. The cursor is for collectors and is not moved. */
async function toFolder(folder: string, call: ExportCall): Promise<CommandResult> {
  const { host, auditFile, tally } = call;
  const sink = folderSink(folder);
  const start = newCursor("file", host.nowMs());
  const exporter = exporterFor(start.instance, host);
  const isStopped = (): boolean => host.interrupt.raised() !== null;
  const job = { auditFile, sink, tally, nowMs: host.nowMs, isStopped, exporter, store: () => null };
  const sent = await exportRuns(start, job);
  const ended = sent.problem === null ? await exportTotals(sent.cursor, job) : sent;
  sink.close();
  return finish(ended.problem ?? "done", sink, call);
}

async function finish(ended: ExportEnd, sink: Sink, { host, tally, options }: ExportCall): Promise<CommandResult> {
  if (ended === "busy") {
    if (!options.quiet) host.err("• Another export is running; it sends what is there.\n");
    return ok(EXIT.ok);
  }
  const problem = typeof ended === "string" ? null : ended;
  const summary = { ...tally, to: sink.name, messages: [...tally.messages] };
  const hasNews = tally.runs + tally.rejected + tally.lost + tally.gaps > 0;
  if (!options.quiet && (problem === null || hasNews)) host.err(exportText(summary, await stderrStyle(options, host)));
  const signal = options.isFollowing ? null : host.interrupt.raised();
  if (signal !== null) return ok(signalExitCode(signal));
  const printed = options.json ? print(`${exportJson(summary, problem)}\n`, host) : ok(EXIT.ok);
  return problem === null ? printed : fail(problem);
}

const exporterFor = (instance: string, host: Host): Exporter => {
  const version = versionText().trim();
  const own = {
    [ATTRIBUTE.serviceName]: "hookctl",
    [ATTRIBUTE.serviceVersion]: version,
    [ATTRIBUTE.serviceInstance]: instance,
    [ATTRIBUTE.hostName]: hostname(),
    [ATTRIBUTE.osType]: platform(),
  };
  return { version, resource: resourceOf(own, host.env) };
};

/** Waits until the time is over or a signal arrives. Returns false after a signal. */
function pauseFor(ms: number, { interrupt }: Host): Promise<boolean> {
  if (interrupt.raised() !== null) return Promise.resolve(false);
  return new Promise((settle) => {
    const forget = interrupt.listen(() => end(false));
    const timer = setTimeout(() => end(true), ms);
    const end = (isOver: boolean): void => {
      clearTimeout(timer);
      forget();
      settle(isOver);
    };
  });
}
