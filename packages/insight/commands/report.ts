import { resolve } from "node:path";
import { type CommandResult, print } from "../../../src/cli/command-result.ts";
import type { CommandLine, OptionsOf } from "../../../src/cli/command-table.ts";
import { versionText } from "../../../src/cli/version.ts";
import { createRunContext } from "../../../src/engine/create-run-context.ts";
import type { Host } from "../../../src/engine/host.ts";
import { readBundled } from "../../../src/fs/read-bundled.ts";
import { writeOutputFile } from "../../../src/fs/write-output.ts";
import { EXIT } from "../../../src/protocol/exit-code.ts";
import { printableJson, rawJson } from "../../../src/protocol/json/write.ts";
import type { UsageProblem } from "../../../src/protocol/problem.ts";
import { fail, ok, unwrap } from "../../../src/protocol/result.ts";
import { groupDigits, pluralize } from "../../../src/protocol/text/count.ts";
import { truncateEscaped } from "../../../src/protocol/text/text.ts";
import { reportPage } from "../page/page.ts";
import { addRun, noRuns, type ReportData, type ReportHead, reportData } from "../totals/report-totals.ts";
import { localTime, localTimeOrNull } from "../totals/timeline.ts";
import { type LineFilter, readLineFilter } from "./log/line-filter.ts";
import { readingProgress, wantedRuns } from "./log/selected-lines.ts";
import { statsTable } from "./log/stats.ts";

type ReportOptions = OptionsOf<"report">;

/** `hookctl report`: the audit log as a table, as an HTML page (`--output`) or as data (`--json`). */
export async function report({ options }: CommandLine<"report">, host: Host): Promise<CommandResult> {
  if (options.output === null && !options.json) return statsTable(options, host);
  const filter = readLineFilter(options, host);
  const file = options.output === "-" ? null : options.output;
  if (file === "") return fail(NO_FILE);
  const { auditFile } = unwrap(await createRunContext(options, host, false)).context;
  const totals = noRuns();
  const progress = readingProgress(options, host);
  for (const run of wantedRuns(auditFile, filter, progress.onProgress)) addRun(totals, run);
  progress.end();
  const data = reportData(totals, headOf(options, filter, host));
  const text = options.json
    ? `${printableJson(rawJson(JSON.stringify(data)))}\n`
    : reportPage(data, readBundled("assets/report.html.jinja"));
  if (file === null) return print(text, host);
  const cause = writeOutputFile(resolve(host.cwd, file), text, ONLY_THE_USER_MAY_READ);
  if (cause !== null) return fail({ code: "REPORT_NOT_WRITTEN", path: file, cause, isOnStdout: false });
  if (!options.quiet) host.err(writtenText(file, data));
  return ok(EXIT.ok);
}

/** The mode of the log itself: commands and project names are private. */
const ONLY_THE_USER_MAY_READ = 0o600;

const writtenText = (file: string, { runs, decisions: { block } }: ReportData): string =>
  `✔ ${truncateEscaped(file, 400)}: ${pluralize(runs, "run")}, ${groupDigits(block)} blocked\n`;

function headOf({ project, directory, only }: ReportOptions, { sinceMs, untilMs }: LineFilter, host: Host): ReportHead {
  return {
    version: versionText().trim(),
    made: localTime(host.nowMs()),
    asked: {
      since: localTimeOrNull(sinceMs),
      until: localTimeOrNull(untilMs),
      project: project === null ? null : resolve(host.cwd, directory ?? ".", project),
      hook: only,
    },
  };
}

const NO_FILE: UsageProblem = {
  ...{ code: "USAGE_BAD_VALUE", flag: "--output", value: "", detail: "it must be the name of a file" },
};
