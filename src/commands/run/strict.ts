import type { CommandResult } from "../../cli/command-result.ts";
import type { Host } from "../../host.ts";
import { EXIT } from "../../protocol/exit-code.ts";
import { ok } from "../../protocol/result.ts";
import { truncateEscaped } from "../../protocol/text/text.ts";
import type { NotReady } from "../../test-runner/test-report.ts";

export { findNotReady } from "../../test-runner/select/not-ready.ts";

/** Writes the findings of `--strict` to stderr, each with its code and hint. */
export function writeNotReady(notReady: readonly NotReady[], host: Host): void {
  for (const { code, message, hint } of notReady)
    host.err(`✖ ${truncateEscaped(message, 600)} (${code})\n  ${truncateEscaped(hint, 400)}\n`);
}

/** Exit code 1 if a hook would not start, unless the output could not be printed. */
export const strictExitCode = (notReady: readonly NotReady[], ended: CommandResult): CommandResult =>
  ended.ok && ended.value === EXIT.ok && notReady.length > 0 ? ok(EXIT.checkFailed) : ended;
