import { appendLine, removeOverLimits } from "../../../../src/audit/append.ts";
import { listLogFiles } from "../../../../src/audit/log-files.ts";
import { purgeLine } from "../../../../src/audit/log-lines.ts";
import { payloadLogOf } from "../../../../src/audit/payload-log.ts";
import { type CommandResult, print } from "../../../../src/cli/command-result.ts";
import type { OptionsOf } from "../../../../src/cli/command-table.ts";
import { askChoice } from "../../../../src/cli/prompt/ask-choice.ts";
import { openPersonTerminal, requirePersonWithoutAgent } from "../../../../src/cli/prompt/require-person.ts";
import type { Host } from "../../../../src/engine/host.ts";
import type { RunContext } from "../../../../src/engine/run-context.ts";
import { EXIT } from "../../../../src/protocol/exit-code.ts";
import { printableJson } from "../../../../src/protocol/json/write.ts";
import type { HostProblem, UsageProblem } from "../../../../src/protocol/problem.ts";
import { fail, ok } from "../../../../src/protocol/result.ts";
import { pluralize } from "../../../../src/protocol/text/count.ts";
import { formatSize } from "../../../../src/protocol/text/units.ts";
import { purgeLog } from "../../purge.ts";

const DAY_MS = 86_400_000;

interface PurgeOrder {
  readonly auditFile: string;
  readonly logs: readonly { readonly name: string; readonly file: string }[];
  /** Runs before this time are removed; null removes all runs. */
  readonly beforeMs: number | null;
}

/** `hookctl log --purge`: a person removes recorded runs, and that is recorded. */
export async function purge(options: OptionsOf<"log">, context: RunContext, host: Host): Promise<CommandResult> {
  // Not even with confirmation on the terminal: an agent must not erase its traces.
  await requirePersonWithoutAgent(host);
  const order = orderOf(options, context);
  if (order === null) return ok(EXIT.ok);
  if ("code" in order) return fail(order);
  const refusal = options.yes ? null : await confirm(order, host);
  if (refusal !== null) return fail(refusal);
  return carryOut(order, { options, context, host });
}

function orderOf(options: OptionsOf<"log">, context: RunContext): PurgeOrder | UsageProblem | null {
  const { auditFile, nowMs, settings } = context;
  if (auditFile === null) return null;
  if (options.isAll && options.before !== null) {
    const detail = "--all and --before cannot be combined.";
    return { code: "USAGE_WRONG_WORDS", detail, tryThis: "hookctl log --purge --before 7d" };
  }
  const payloads = { name: "payloads", file: payloadLogOf(auditFile) };
  const logs = options.isPayloads ? [payloads] : [{ name: "audit", file: auditFile }, payloads];
  if (options.isAll) return { auditFile, logs, beforeMs: null };
  const { days } = settings.recordLimits;
  const beforeMs = options.before?.(nowMs).startMs ?? (days === null ? 0 : nowMs - days * DAY_MS);
  return { auditFile, logs, beforeMs: Math.max(0, beforeMs) };
}

async function confirm({ logs, beforeMs }: PurgeOrder, host: Host): Promise<HostProblem | null> {
  const terminal = await openPersonTerminal(host);
  if (terminal === null) return { code: "TRUST_NOT_CONFIRMED", cause: "there is no terminal to ask you on" };
  const what = beforeMs === null ? "All runs" : `The runs before ${new Date(beforeMs).toISOString()}`;
  const places = logs.map(({ name, file }) => `${name}, ${formatSize(sizeOf(file))}`).join("; ");
  const answer = await askChoice(terminal, {
    intro: `${what} would be removed from these logs: ${places}\n`,
    question: "Remove them?",
    choices: { yes: "they are gone for good", no: "change nothing" },
  });
  terminal.close();
  return answer === "yes" ? null : { code: "TRUST_NOT_CONFIRMED", cause: "you did not say yes" };
}

const sizeOf = (file: string): number => listLogFiles(file).reduce((sum, { size }) => sum + size, 0);

interface Work {
  readonly options: OptionsOf<"log">;
  readonly context: RunContext;
  readonly host: Host;
}

function carryOut({ auditFile, logs, beforeMs }: PurgeOrder, { options, context, host }: Work): CommandResult {
  const { settings, nowMs, userId } = context;
  let [files, lines] = [0, 0];
  for (const { file } of logs) {
    const purged = purgeLog(file, beforeMs);
    files += purged.files + removeOverLimits(file, settings.recordLimits);
    lines += purged.lines;
    if (purged.cause !== null) return fail({ code: "FILE_NOT_WRITTEN", path: file, cause: purged.cause });
  }
  const before = beforeMs === null ? null : new Date(beforeMs).toISOString();
  const report = { before, logs: logs.map(({ name }) => name), files, lines };
  const line = purgeLine({ ...report, isoTime: new Date(nowMs).toISOString(), by: `uid ${userId}` });
  const cause = settings.record === "off" ? null : appendLine(auditFile, line, settings.recordLimits);
  if (cause !== null) return fail({ code: "FILE_NOT_WRITTEN", path: auditFile, cause });
  if (options.json) return print(`${printableJson({ schema: "hookctl.purge/1", ...report })}\n`, host);
  return print(
    `Removed ${pluralize(files, "whole file")}, and erased ${pluralize(lines, "line")} in files that stay.\n`,
    host,
  );
}
