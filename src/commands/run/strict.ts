import type { CommandResult } from "../../cli/output.ts";
import type { Host } from "../../host.ts";
import { EXIT } from "../../protocol/exit-code.ts";
import { ok } from "../../protocol/result.ts";
import { truncateEscaped } from "../../protocol/text.ts";
import type { NotReady } from "../../test-runner/test-report.ts";

export { findNotReady } from "../../test-runner/not-ready.ts";

/** What `--strict` found, on stderr: each with its code and what to do. */
export function writeNotReady(notReady: readonly NotReady[], host: Host): void {
  for (const { code, message, hint } of notReady)
    host.err(`✖ ${truncateEscaped(message, 600)} (${code})\n  ${truncateEscaped(hint, 400)}\n`);
}

/** 1 when something would not start; an answer that could not be printed comes first. */
export const strictExitCode = (notReady: readonly NotReady[], ended: CommandResult): CommandResult =>
  ended.ok && ended.value === EXIT.ok && notReady.length > 0 ? ok(EXIT.checkFailed) : ended;
