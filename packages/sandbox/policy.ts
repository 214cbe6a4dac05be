import type { ProgramStart, SandboxedStart } from "../../src/process/process-request.ts";

/** The permissions of one start. Every path is absolute and without links. */
export interface SandboxPolicy {
  readonly network: boolean;
  /** False: it may not start processes. */
  readonly subprocess: boolean;
  /** Existing files and folders that it may write. */
  readonly writable: readonly string[];
  /** Existing paths inside them that stay read-only. */
  readonly readOnly: readonly string[];
  /** Existing files and folders that stay visible below folders of which it has its own, such as /tmp. */
  readonly visible: readonly string[];
}

/** A program of this machine that locks others in. */
export interface Backend {
  readonly name: "bubblewrap" | "sandbox-exec";
  /** Its absolute path. */
  readonly file: string;
  readonly wrap: (start: ProgramStart, policy: SandboxPolicy) => SandboxedStart;
}
