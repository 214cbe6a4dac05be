import type { Problem } from "./problem.ts";
import type { Reply } from "./reply.ts";
import type { Result } from "./result.ts";
import type { Warning } from "./warning.ts";

/** What came of asking one hook. `reply` null: it had nothing to say. */
export interface Asked {
  readonly reply: Result<Reply | null, Problem>;
  /** Not started at all, for want of trust or of an identity. */
  readonly isHindered: boolean;
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** How a hook failed whose block counts in spite of it: `exit 1`. */
  readonly endedBy?: string;
  readonly durationMs: number;
  readonly stderr: string;
  readonly warnings: readonly Warning[];
}
