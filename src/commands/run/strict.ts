import type { CommandResult } from "../../cli/command-result.ts";
import type { Host } from "../../engine/host.ts";
import { findNotReady, type NotReadyInput } from "../../engine/not-ready.ts";
import { EXIT } from "../../protocol/exit-code.ts";
import type { NotReady } from "../../protocol/hook.ts";
import { ok } from "../../protocol/result.ts";
import { truncateEscaped } from "../../protocol/text/text.ts";

export { findNotReady };

/** Writes the findings of `--strict` to stderr, each with its code and hint. */
export function writeNotReady(notReady: readonly NotReady[], host: Host): void {
  for (const { code, message, hint } of notReady)
    host.err(`✖ ${truncateEscaped(message, 600)} (${code})\n  ${truncateEscaped(hint, 400)}\n`);
}

/** Exit code 1 if a hook would not start, 77 if HOOKCTL_TRUST approves none, unless something else went wrong. */
export function strictExitCode(notReady: readonly NotReady[], ended: CommandResult): CommandResult {
  if (!ended.ok || ended.value !== EXIT.ok || notReady.length === 0) return ended;
  return ok(notReady.some(({ code }) => code === "TRUST_DIGEST_DIFFERS") ? EXIT.notApproved : EXIT.checkFailed);
}

/** The same for hooks that were run, with its findings on stderr. */
export function endStrictly(input: NotReadyInput, ended: CommandResult, host: Host): CommandResult {
  const notReady = findNotReady(input);
  writeNotReady(notReady, host);
  return strictExitCode(notReady, ended);
}
