import { resolve } from "node:path";
import type { EngineHost, EngineOptions } from "../../../src/engine/run-context.ts";
import { monotonicMs } from "../../../src/process/process-request.ts";
import { loadGuards } from "../../guard-hooks/load-guards.ts";
import { type HooksOptions, parseTimeout, type RunOptions } from "./check-options.ts";

/** The outside of the current process for the engine, with the changes in these options. */
export const hostFrom = (
  { cwd, home, env }: HooksOptions,
  interrupt: EngineHost["interrupt"],
): Omit<EngineHost, "beganMs"> => ({
  env: { ...(env ?? process.env), ...(home === undefined ? {} : { HOME: home }) },
  cwd: resolve(cwd ?? "."),
  userId: process.getuid?.() ?? -1,
  nowMs: Date.now,
  elapsedMs: monotonicMs,
  random: Math.random,
  interrupt,
  loadGuards,
});

/** The options of one run; those of all runs are its defaults. */
export const engineOptions = (all: HooksOptions, run: RunOptions = {}): EngineOptions => ({
  directory: null,
  hooksDirs: all.hooksDirs ?? [],
  config: all.config ?? null,
  only: run.only ?? all.only ?? null,
  skip: run.skip ?? all.skip ?? [],
  timeoutMs: parseTimeout("timeout", run.timeout ?? all.timeout),
  deadlineMs: parseTimeout("deadline", run.deadline ?? all.deadline),
  trust: all.trust ?? false,
  useCache: true,
});
