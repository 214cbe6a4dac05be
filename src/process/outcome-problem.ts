import type { HookProblem } from "../protocol/problem.ts";
import type { ProcessOutcome } from "./process-request.ts";
import { startFailure } from "./start-failure.ts";

interface At {
  readonly hook: string;
  readonly path: string;
}

/** How a child's end is a failure; null for exit 0. `byDeadline`: its timeout was what was left for the whole chain. */
export function outcomeProblem(at: At, outcome: ProcessOutcome, byDeadline = false): HookProblem | null {
  const { termination, killedDescendants, stderr } = outcome;
  switch (termination.kind) {
    case "exited":
      return termination.exitCode === 0 ? null : { code: "HOOK_EXITED", ...at, exitCode: termination.exitCode, stderr };
    case "signalled":
      return { code: "HOOK_SIGNALLED", ...at, signal: termination.signal };
    case "timed-out":
      return { code: "HOOK_TIMED_OUT", ...at, afterMs: termination.afterMs, byDeadline, ended: killedDescendants };
    case "interrupted":
      return { code: "HOOK_INTERRUPTED", ...at, signal: termination.signal };
    case "too-much-output":
      return { code: "HOOK_TOO_MUCH_OUTPUT", ...at, limitBytes: termination.limitBytes };
    case "not-started": {
      const { isFormat, cause } = startFailure(at.path, termination.errno);
      return { code: isFormat ? "HOOK_BAD_FORMAT" : "HOOK_NOT_STARTED", ...at, cause };
    }
  }
}
