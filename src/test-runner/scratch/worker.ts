import type { RunContext } from "../../engine/run-context.ts";
import type { Scratch } from "./scratch.ts";
import { type ScratchProjects, scratchProjects } from "./scratch-projects.ts";

export interface TestContext extends RunContext {
  /** What every hook gets beside its own environment: the means by which its interpreter tells which lines ran. */
  readonly hookVariables: Readonly<Record<string, string>>;
}

/** A place in which one hook is tested at a time. */
export interface TestWorker {
  readonly scratch: Scratch;
  readonly context: TestContext;
  readonly places: ScratchProjects;
}

/** Tests do not write to the caches and logs of real calls, and a paused hook is tested like any other. */
const NOTHING_STORED = { cacheDir: null, sessionsDir: null, auditFile: null, pauses: new Map<string, string>() };

export function testWorker(scratch: Scratch, real: RunContext): TestWorker {
  return {
    scratch,
    // Without the cache each hook declares its event again, because the declaration is part of the test.
    context: { ...real, env: scratch.env, cwd: scratch.work, hookVariables: {}, ...NOTHING_STORED },
    places: scratchProjects(scratch, real.scopes.homeDir),
  };
}
