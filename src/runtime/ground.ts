import type { Scopes } from "../discover/scopes.ts";
import type { Interrupt } from "../process/process-request.ts";
import type { Settings } from "../settings/settings.ts";

/** What every step of one call stands on. Built once by a command or by the library. */
export interface Ground {
  readonly scopes: Scopes;
  readonly settings: Settings;
  /** The project's settings file is unusable: its hooks are left out too. */
  readonly isProjectUnusable: boolean;
  readonly choice: Choice;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Where hooks run when the payload names no folder. */
  readonly cwd: string;
  readonly userId: number;
  readonly nowMs: number;
  readonly elapsedMs: () => number;
  readonly runId: string;
  /** Recursion: how many hookctl calls are around this one. */
  readonly depth: number;
  readonly cacheDir: string | null;
  readonly interrupt: Interrupt;
}

/** Which hooks the caller wants. */
export interface Choice {
  /** Folders in place of the default ones; they need approval like a project. */
  readonly hooksDirs: readonly string[];
  /** Only hooks whose name fits this glob. */
  readonly only: string | null;
  readonly skip: readonly string[];
  readonly isTrustedForOneCall: boolean;
  readonly useCache: boolean;
  /** Nothing is started at all: what is not remembered stays unknown (`--dry-run`). */
  readonly mayStart: boolean;
}
