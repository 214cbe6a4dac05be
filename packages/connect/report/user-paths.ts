import type { RunContext } from "../../../src/engine/run-context.ts";
import type { PathContext } from "../../../src/report/display-path.ts";

/** How paths are shown to the caller: from the working directory, or below `~`. */
export const userPaths = ({ cwd, scopes }: Pick<RunContext, "cwd" | "scopes">): PathContext => ({
  cwd,
  homeDir: scopes.homeDir,
});
