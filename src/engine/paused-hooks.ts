import type { Scopes } from "../discover/scopes.ts";
import type { Warning } from "../protocol/warning.ts";
import type { EngineHost, RunContext } from "./run-context.ts";
import type { UserPaths } from "./user-paths.ts";

/** The hooks that are paused in this call. */
export interface PausedHooks {
  /** Name -> reason, as every command shows it. */
  readonly pauses: ReadonlyMap<string, string>;
  readonly warnings: readonly Warning[];
}

const NO_PAUSES: PausedHooks = { pauses: new Map(), warnings: [] };

/** Most calls find no file of pauses, and load no code for it. */
export async function findPausedHooks(
  file: UserPaths["pausesFile"],
  { rootDir }: Scopes,
  { userId, nowMs }: EngineHost,
): Promise<PausedHooks> {
  if (file === null) return NO_PAUSES;
  return (await import("./pauses.ts")).pausesInEffect(file, { rootDir, userId, nowMs: nowMs() });
}

/** The names in `HOOKCTL_SKIP`. A bridge ignores them, because a project can set variables of an agent. */
export const skippedByVariable = ({ HOOKCTL_SKIP = "" }: RunContext["env"]): readonly string[] =>
  HOOKCTL_SKIP.split(/[,\s]+/).filter((name) => name !== "");

/** The context without what ends by itself, for what lasts: a registration, a test. */
export const withoutPauses = (context: RunContext): RunContext => ({
  ...context,
  pauses: NO_PAUSES.pauses,
  options: { ...context.options, skipByVariable: [] },
});
