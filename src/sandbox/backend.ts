import type { ProgramStart, SandboxedStart } from "../process/sandboxed-start.ts";
import type { SandboxPolicy } from "./policy.ts";

/** A program of this machine that locks others in. */
export interface Backend {
  readonly name: "bubblewrap" | "sandbox-exec";
  /** Its absolute path. */
  readonly file: string;
  readonly wrap: (start: ProgramStart, policy: SandboxPolicy) => SandboxedStart;
}
