import { hostname, platform } from "node:os";
import { resolve } from "node:path";
import { type CommandResult, print, reportProblem } from "../../../../src/cli/command-result.ts";
import type { CommandLine, CommonOptions } from "../../../../src/cli/command-table.ts";
import { stderrStyle } from "../../../../src/cli/stream-style.ts";
import { versionText } from "../../../../src/cli/version.ts";
import { createRunContext } from "../../../../src/engine/create-run-context.ts";
import type { Host } from "../../../../src/engine/host.ts";
import { EXIT, signalExitCode } from "../../../../src/protocol/exit-code.ts";
import { printableJson } from "../../../../src/protocol/json/write.ts";
import type { Problem } from "../../../../src/protocol/problem.ts";
import { explain } from "../../../../src/protocol/problem-messages/explain.ts";
import { fail, ok, ProblemError, unwrap } from "../../../../src/protocol/result.ts";
import { pluralize } from "../../../../src/protocol/text/count.ts";
import { truncateEscaped } from "../../../../src/protocol/text/text.ts";
import { formatDuration } from "../../../../src/protocol/text/units.ts";
import { warningLine } from "../../../../src/report/problem-text.ts";
import type { Style } from "../../../../src/report/text-style.ts";
import { progressLine } from "../../../screen/progress-line.ts";
import { newCursor } from "../../export/cursor.ts";
import { exportLog, newTally, type Tally } from "../../export/export-log.ts";
import { httpSink } from "../../export/http-sink.ts";
import type { Exporter } from "../../export/otlp.ts";
import { type ExportEnd, type ExportRequest, exportOnce, followLog } from "../../export/run-export.ts";
import { folderSink, type Sink } from "../../export/sink.ts";
import { readTarget, resourceOf } from "../../export/target.ts";
import { pauseFor } from "./follow-log.ts";

/** How long a collector may be unreachable before the export ends; `--deadline` changes it. */
const PATIENCE_MS = 30_000;
const FIRST_PAUSE_MS = 1_000;

/** `hookctl export`: sends recorded runs to a collector, or writes them to a folder. */
export async function exportRecorded({ options }: CommandLine<"export">, host: Host): Promise<CommandResult> {
  const { auditFile, settings } = unwrap(await createRunContext(options, host, false)).context;
  if (auditFile === null) return fail({ code: "EXPORT_NO_LOG" });
  // Without a listener a signal would end the process instead of the pause between two exports.
  host.interrupt.listen(() => undefined);
  const call = { auditFile, host, tally: newTally(), options };
  const { output } = options;
  const sink = output === null ? openCollector(settings.exportTo, call) : folderSink(resolve(host.cwd, output));
  const ended = await (output === null ? toCollector : toFolder)(sink, call);
  sink.close();
  return finish(ended, sink.name, call);
}

interface ExportCall extends Pick<CommandLine<"export">, "options"> {
  readonly auditFile: string;
  readonly host: Host;
  readonly tally: Tally;
}

function openCollector(setting: string | null, { host, options }: ExportCall): Sink {
  const target = readTarget(setting, host.env);
  if (target === null) throw new ProblemError({ code: "EXPORT_NOT_CONFIGURED" });
  return httpSink(target, versionText().trim(), {
    forMs: options.deadlineMs ?? PATIENCE_MS,
    firstPauseMs: FIRST_PAUSE_MS,
    elapsedMs: host.elapsedMs,
    nowMs: host.nowMs,
    random: host.random,
    onFailure: failureTeller(options, host),
    pause: (ms) => pauseFor(ms, host),
  });
}

/** A person, and a log of CI, learn at the first failure why nothing happens. */
function failureTeller(
  { quiet, color }: CommonOptions,
  host: Host,
): (url: string, cause: string, leftMs: number) => void {
  let isTold = false;
  return (url, cause, leftMs) => {
    if (isTold || quiet || leftMs <= 0) return;
    isTold = true;
    const text = `${url} does not answer (${cause}). Trying again for ${formatDuration(leftMs)}; --deadline sets another limit`;
    void stderrStyle({ color }, host).then((style) => host.err(warningLine(text, style)));
  };
}

/** Sends from the cursor on, and moves it. */
async function toCollector(sink: Sink, { host, auditFile, tally, options }: ExportCall): Promise<ExportEnd> {
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
  return ended;
}

/** Writes the whole log. The cursor is for collectors and is not moved. */
async function toFolder(sink: Sink, { host, auditFile, tally }: ExportCall): Promise<ExportEnd> {
  const cursor = newCursor("file", host.nowMs());
  const exporter = exporterFor(cursor.instance, host);
  const isStopped = (): boolean => host.interrupt.raised() !== null;
  const job = { auditFile, sink, tally, nowMs: host.nowMs, isStopped, exporter, store: () => undefined, cursor };
  return (await exportLog(job, true)) ?? "done";
}

async function finish(ended: ExportEnd, to: string, { host, tally, options }: ExportCall): Promise<CommandResult> {
  if (ended === "busy") {
    if (!options.quiet) host.err("• Another export is running; it sends these runs.\n");
    return ok(EXIT.ok);
  }
  const problem = typeof ended === "string" ? null : ended;
  const hasNews = tally.runs + tally.rejected + tally.lost + tally.gaps > 0;
  if (!options.quiet && (problem === null || hasNews))
    host.err(exportText(to, tally, await stderrStyle(options, host)));
  const signal = options.isFollowing ? null : host.interrupt.raised();
  if (signal !== null) return ok(signalExitCode(signal));
  const printed = options.json ? print(exportJson(to, tally, problem), host) : ok(EXIT.ok);
  return problem === null ? printed : fail(problem);
}

const exporterFor = (instance: string, host: Host): Exporter => {
  const version = versionText().trim();
  const own = {
    "service.name": "hookctl",
    "service.version": version,
    "service.instance.id": instance,
    "host.name": hostname(),
    "os.type": platform(),
  };
  return { version, resource: resourceOf(own, host.env) };
};

/** The result of one export. `to` is the collector, or the folder. */
function exportText(to: string, tally: Tally, style: Style): string {
  const { runs, spans, logs, rejected, lost, gaps, unreadable, messages } = tally;
  const target = truncateEscaped(to, 200);
  const counts = `${pluralize(runs, "run")} (${pluralize(spans, "span")}, ${pluralize(logs, "log record")})`;
  const doubts = [
    ...(rejected > 0 ? [`the collector rejected ${pluralize(rejected, "item")}, not sent again`] : []),
    ...(lost > 0 ? [`${pluralize(lost, "line was", "lines were")} removed from the audit log before the export`] : []),
    ...(gaps > 0 ? ["files of the audit log were removed by another program: runs may be missing"] : []),
    ...(unreadable > 0
      ? [`skipped ${pluralize(unreadable, "line")} of the audit log that cannot be read as a record`]
      : []),
    ...[...messages].map((message) => `the collector says: ${truncateEscaped(message, 300)}`),
  ];
  return [
    runs === 0 ? `• nothing new to export to ${target}\n` : style.good(`✔ exported ${counts} to ${target}\n`),
    ...doubts.map((text) => warningLine(text, style)),
  ].join("");
}

function exportJson(to: string, tally: Tally, problem: Problem | null): string {
  const { logs, lost, messages, runs, spans, rejected, unreadable, gaps } = tally;
  const error = problem === null ? null : { code: problem.code, ...explain(problem) };
  const counts = { runs, spans, log_records: logs, rejected, unreadable, lost_lines: lost, gaps };
  const json = { schema: "hookctl.export-result/1", to, ...counts, messages: [...messages], problem: error };
  return `${printableJson(json)}\n`;
}
