import { resolve } from "node:path";
import { createRedactor, type Redact } from "../../../../src/audit/redact.ts";
import { type CommandResult, print } from "../../../../src/cli/command-result.ts";
import type { CommandLine } from "../../../../src/cli/command-table.ts";
import { stdoutStyle } from "../../../../src/cli/stream-style.ts";
import type { Host } from "../../../../src/engine/host.ts";
import { hooksAreOff } from "../../../../src/engine/run-context.ts";
import { writeOutputFile } from "../../../../src/fs/write-output.ts";
import { signalExitCode } from "../../../../src/protocol/exit-code.ts";
import { printableJson } from "../../../../src/protocol/json/write.ts";
import type { HostProblem } from "../../../../src/protocol/problem.ts";
import { fail, ok } from "../../../../src/protocol/result.ts";
import { pluralize } from "../../../../src/protocol/text/count.ts";
import { backtestReport } from "../../replay/backtest.ts";
import { type JudgedRecord, recordJudge } from "../../replay/judge-records.ts";
import { openReplay, type Replay } from "../../replay/open-replay.ts";
import { corpusLine, type SessionRecord } from "../../replay/sessions/session-record.ts";
import { createTally, type Tally } from "../../replay/tally.ts";
import { backtestJson, backtestText, notJudgedText } from "../../report/backtest-text.ts";
import {
  type BacktestOptions,
  callFilter,
  findSources,
  placeOf,
  readCalls,
  shownCall,
  unjudgedWhy,
} from "./read-calls.ts";

/** `hookctl backtest`: shows what the current hooks would have decided about recorded calls. */
export async function backtest(line: CommandLine<"backtest">, host: Host): Promise<CommandResult> {
  const { options } = line;
  const folder = resolve(host.cwd, options.directory ?? ".");
  const sinceMs = options.since?.(host.nowMs()).startMs ?? null;
  const found = findSources({ files: line.args, agent: options.agent, folder, sinceMs }, host);
  if (!found.ok) return found;
  if (options.failOnChange !== null) {
    const { compareRevisions } = await import("./compare.ts");
    return compareRevisions({ base: options.failOnChange, folder, ...found.value }, options, host);
  }
  const { sources, unreadableAgents } = found.value;
  const replay = openTodaysHooks(options, host);
  const redact = createRedactor(host.env);
  const tally = createTally(redact);
  const judgeRecord = recordJudge(replay);
  const exported = options.exportFile === null ? null : exportCalls(options.exportFile, folder, { host, redact });
  const calls = await readCalls(options, host, {
    sources,
    isSelected: callFilter(options, host),
    judge: async (record) => {
      exported?.add(record);
      return tallied(record, await judgeRecord(record), { tally, redact });
    },
  });
  const signal = host.interrupt.raised();
  if (signal !== null) return ok(signalExitCode(signal));
  const report = backtestReport({ found: calls, tally, leftOut: replay.leftOut(), unreadableAgents });
  const unread = report.notJudged.map(notJudgedText);
  if (report.calls === 0) return fail({ code: "NOTHING_RECORDED", files: sources.length, unread });
  const notWritten = exported?.write() ?? null;
  if (notWritten !== null) return fail(notWritten);
  if (options.json) return print(`${printableJson(backtestJson(report))}\n`, host);
  return print(backtestText(report, await stdoutStyle(options, host), options.verbosity > 0), host);
}

/** The hooks of today. A guard that is off judges if it is named, or where no hook is on. */
function openTodaysHooks(options: BacktestOptions, host: Host): Replay {
  // `agent` chooses sessions; the hooks are the same for all agents.
  const { agent: _sessionsOf, ...common } = options;
  const engine = { ...common, isOff: hooksAreOff(options, host) };
  return openReplay({ engine, guards: options.only === null ? "all-without-hooks" : "all" }, host);
}

interface TallyPlace {
  readonly tally: Tally;
  readonly redact: Redact;
}

/** Counts a judged call. Returns why it was not judged, or null. */
function tallied(record: SessionRecord, judged: JudgedRecord, { tally, redact }: TallyPlace): string | null {
  if (judged.kind === "unjudged") return unjudgedWhy(judged);
  const { alarms, decision, isByDefaults } = judged;
  const shown = alarms.length === 0 ? "" : shownCall(record, redact);
  tally.add({ alarms, decision, isByDefaults, shown, place: placeOf(record, redact) });
  return null;
}

/** Collects the calls for a file that `backtest` reads on another machine. */
export interface ExportedCalls {
  readonly add: (record: SessionRecord) => void;
  /** Returns why the file could not be written, or null. */
  readonly write: () => HostProblem | null;
}

const MOST_CHARACTERS = 64 * 1024 * 1024;

export function exportCalls(file: string, project: string, { host, redact }: ExportContext): ExportedCalls {
  const lines = new Set<string>();
  let [characters, leftOut] = [0, 0];
  const own = { home: host.env.HOME ?? "/", project };
  return {
    add: ({ agent, time, cwd, madeIn, recorded }) => {
      const made = recorded();
      const call = { id: "", agent, time, cwd, madeIn: madeIn ?? own };
      const line = made === null ? null : corpusLine({ ...call, ...made }, redact);
      if (line === null || characters + line.length > MOST_CHARACTERS) leftOut += 1;
      else if (!lines.has(line)) {
        lines.add(line);
        characters += line.length;
      }
    },
    write: () => {
      const path = resolve(host.cwd, file);
      const cause = writeOutputFile(path, [...lines].join(""));
      if (cause !== null) return { code: "FILE_NOT_WRITTEN", path, cause };
      const missing = leftOut === 0 ? "" : `; ${pluralize(leftOut, "call was", "calls were")} too long`;
      host.err(
        `• ${pluralize(lines.size, "different call")} written to ${file}${missing}. Read it before you share it.\n`,
      );
      return null;
    },
  };
}

interface ExportContext {
  readonly host: Host;
  readonly redact: Redact;
}
