import { writeJson } from "../protocol/json-text.ts";
import type { HookRecord, RunRecord } from "../protocol/run-record.ts";

export const SHELL_EXECUTED = "hook_shell_executed";

/** What a shell reports of a program that a limit ended, in the words of timeout(1) and of signals. */
const ENDED: Readonly<Record<string, number>> = {
  HOOK_TIMED_OUT: 124,
  HOOK_TOO_MUCH_OUTPUT: 137,
  HOOK_INTERRUPTED: 143,
};

/** One line for each shell command that was started, whoever approved it (SPEC 11). */
export function shellLines(run: RunRecord, isoTime: string): readonly string[] {
  return run.hooks.flatMap((hook) => {
    const rc = returnCode(hook);
    if (hook.command === null || rc === null) return [];
    return writeJson({
      schema: "hookctl.record/1",
      kind: SHELL_EXECUTED,
      time: isoTime,
      run_id: run.run_id,
      event: run.event,
      session: run.session === "" ? undefined : run.session,
      hook: hook.name,
      scheme: hook.kind,
      command: hook.command,
      rc,
    });
  });
}

/** Null: it was not started. */
function returnCode({ exit_code, signal, failure, duration_ms }: HookRecord): number | null {
  if (exit_code !== null) return exit_code;
  if (signal !== null) return 128 + (signalNumbers()[signal] ?? 0);
  return duration_ms > 0 ? (ENDED[failure?.code ?? ""] ?? null) : null;
}

const signalNumbers = (): Readonly<Record<string, number>> => process.getBuiltinModule("node:os").constants.signals;
