import type { HookProblem } from "../protocol/problem.ts";
import type { ProcessOutcome } from "./process-request.ts";
import { startFailure } from "./start-failure.ts";

interface At {
  readonly hook: string;
  readonly path: string;
}

/** How a child's end is a failure; null for exit 0. `byDeadline`: its timeout was what was left for the whole chain. */
export function outcomeProblem(at: At, outcome: ProcessOutcome, byDeadline = false): HookProblem | null {
  const { ending, leftovers, stderr } = outcome;
  switch (ending.kind) {
    case "exited":
      return ending.exitCode === 0 ? null : { code: "HOOK_EXITED", ...at, exitCode: ending.exitCode, stderr };
    case "signalled":
      return { code: "HOOK_SIGNALLED", ...at, signal: ending.signal };
    case "timed-out":
      return { code: "HOOK_TIMED_OUT", ...at, afterMs: ending.afterMs, byDeadline, ended: leftovers };
    case "interrupted":
      return { code: "HOOK_INTERRUPTED", ...at, signal: ending.signal };
    case "too-much-output":
      return { code: "HOOK_TOO_MUCH_OUTPUT", ...at, limitBytes: ending.limitBytes };
    case "not-started": {
      const { isFormat, cause } = startFailure(at.path, ending.errno);
      return { code: isFormat ? "HOOK_BAD_FORMAT" : "HOOK_NOT_STARTED", ...at, cause };
    }
  }
}
