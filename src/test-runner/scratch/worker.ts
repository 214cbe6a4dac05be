import type { RunContext } from "../../engine/run-context.ts";
import type { Scratch } from "./scratch.ts";
import { type ScratchProjects, scratchProjects } from "./scratch-projects.ts";

export interface TestContext extends RunContext {
  readonly probed: ProbedStart;
}

/** How a hook is started so that its interpreter tells which lines ran. */
export interface ProbedStart {
  /** What every hook gets beside its own environment. */
  readonly variables: Readonly<Record<string, string>>;
  /** A program that is started in place of the hook at this path; null: none. */
  readonly program: { readonly path: string; readonly startedAs: string } | null;
}

export const NOT_PROBED: ProbedStart = { variables: {}, program: null };

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
    context: { ...real, env: scratch.env, cwd: scratch.work, probed: NOT_PROBED, ...NOTHING_STORED },
    places: scratchProjects(scratch, real.scopes.homeDir),
  };
}
