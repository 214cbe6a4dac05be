import { newestFirst } from "../../../../src/audit/read.ts";
import { REDACTED } from "../../../../src/audit/redact.ts";
import type { CommonOptions } from "../../../../src/cli/command-table.ts";
import type { Host } from "../../../../src/engine/host.ts";
import type { RunContext } from "../../../../src/engine/run-context.ts";
import { membersOf } from "../../../../src/protocol/json/read.ts";
import { type JsonRecord, jsonText } from "../../../../src/protocol/json/write.ts";
import type { LoggedRun } from "../../../../src/protocol/logged-run.ts";
import { readPayload } from "../../../../src/protocol/payload/payload.ts";
import { ProblemError } from "../../../../src/protocol/result.ts";
import { readToolCall, type ToolCall } from "../../../guards/tool-call.ts";

/** The call of a recorded run, as far as it was recorded. */
export interface RecordedCall {
  readonly run: LoggedRun;
  readonly call: ToolCall;
  readonly folder: string;
  readonly context: RunContext;
  /** False if parts of the call were not recorded: a rule about the rest would not match the call. */
  readonly isWhole: boolean;
  /** The call as a payload of a test case. */
  readonly payload: JsonRecord;
}

interface Caller {
  readonly context: RunContext;
  readonly host: Host;
}

/** Finds a run by its id, by the beginning or end of it, or `last`: the newest run of this project that was stopped. */
export async function findStoppedCall(
  name: string,
  options: CommonOptions,
  { context, host }: Caller,
): Promise<RecordedCall> {
  const { contextOf, payloadOfRun, searchRun } = await import("../../../insight/commands/log/why.ts");
  const { readingProgress } = await import("../../../insight/commands/log/selected-lines.ts");
  const progress = readingProgress(options, host);
  const known = name === "last" ? lastStopped(context, progress.onProgress) : name;
  progress.end();
  const [detail, tryThis] = ["No run of this project was stopped.", "hookctl log --decision block"];
  if (known === null) throw new ProblemError({ code: "USAGE_WRONG_WORDS", detail, tryThis });
  const { run } = searchRun(context, { name: known, session: null }, host);
  const there = await contextOf(run, context, options, host);
  const recorded = payloadOfRun(run, context.auditFile);
  const payload = summaryPayload(run);
  if (recorded?.payload != null) {
    const call = readToolCall(membersOf(recorded.payload));
    return { run, call, folder: recorded.cwd, context: there, isWhole: true, payload };
  }
  const folder = there.scopes.projectDir;
  return { run, call: summaryCall(run), folder, context: there, isWhole: !isIncomplete(run), payload };
}

export const isStopped = ({ decision }: Pick<LoggedRun, "decision">): boolean =>
  decision === "block" || decision === "ask";

function lastStopped({ auditFile, scopes }: RunContext, onProgress: (done: number) => void): string | null {
  for (const { line } of auditFile === null ? [] : newestFirst(auditFile, "", onProgress))
    if (line.kind === "run" && isStopped(line) && line.project === scopes.projectDir) return line.runId;
  return null;
}

/** The call in one line is a command of a shell, or else the path of a file or an address. */
function summaryPayload({ tool, call }: LoggedRun): JsonRecord {
  const text = call ?? "";
  const isAddress = /^[a-z][a-z\d+.-]*:\/\//i.test(text);
  const key = tool === "bash" ? "command" : isAddress ? "url" : "path";
  return { tool_name: tool ?? "bash", tool_input: { [key]: text } };
}

/** The call by its summary in the log, which is one line without secrets. */
export function summaryCall(run: LoggedRun): ToolCall {
  const payload = readPayload("before_tool_call", jsonText(summaryPayload(run)), "/");
  return payload.ok ? readToolCall(payload.value.members) : { commands: [], folder: null, files: [] };
}

/** True if parts of the call were not recorded. */
export const isIncomplete = ({ call }: Pick<LoggedRun, "call">): boolean =>
  call === null || call.includes(REDACTED) || call.endsWith("…");
