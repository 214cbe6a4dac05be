import type { Call } from "./call.ts";

/** `use`: a program or tool whose effect on the file is not known has it as an argument. */
export type AccessKind = "read" | "write" | "delete" | "mode" | "use";

/** A file that a tool call reads, changes or deletes. */
export interface FileAccess {
  readonly kind: AccessKind;
  /** Absolute and normalized; each part that is known only at run time is `UNKNOWN`. A glob stays a glob. */
  readonly path: string;
  readonly isGlob: boolean;
  /** As it was written. */
  readonly source: string;
  /** The program that does it; null for a file tool of the agent. */
  readonly call: Call | null;
  /** The text that a file tool of the agent replaces and writes, as far as the call names it; null: not known. */
  readonly edit: { readonly oldText: string | null; readonly newText: string | null } | null;
}
