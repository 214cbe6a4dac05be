import { isAbsolute, join } from "node:path";
import { readDuration } from "../contract/duration.ts";
import type { HostProblem, Problem } from "../contract/problem.ts";
import { exitCodeOf } from "../contract/problem.ts";
import { ok, type Result } from "../contract/result.ts";
import { findScopes } from "../discover/scopes.ts";
import { newRunId } from "../record/run-id.ts";
import { PLAIN } from "../report/style.ts";
import { depthOf, type Ground } from "../runtime/ground.ts";
import { type LoadedSettings, loadSettings } from "../settings/load-settings.ts";
import type { World } from "../world.ts";
import type { Flags } from "./flags.ts";

export interface Started {
  readonly ground: Ground;
  readonly loaded: LoadedSettings;
}

/** What run and list have in common: where the project is, what the settings say, what may be started. */
export async function start(flags: Flags, world: World, mayStart: boolean): Promise<Result<Started, HostProblem>> {
  const home = folderIn(world.env, "HOME");
  const scopes = findScopes({ cwd: world.cwd, directory: flags.directory, home });
  if (!scopes.ok) return scopes;
  const { homeDir, projectDir } = scopes.value;
  const cacheHome = folderIn(world.env, "XDG_CACHE_HOME") ?? under(homeDir, ".cache");
  const cacheDir = cacheHome === null ? null : join(cacheHome, "hookctl");
  const loaded = await loadSettings({
    projectDir,
    homeDir,
    configHome: folderIn(world.env, "XDG_CONFIG_HOME") ?? under(homeDir, ".config"),
    explicitFile: flags.config === null ? null : join(flags.config.startsWith("/") ? "" : world.cwd, flags.config),
    cacheDir,
    timeoutMs: flags.timeoutMs ?? durationIn(world, "HOOKCTL_TIMEOUT"),
    deadlineMs: flags.deadlineMs ?? durationIn(world, "HOOKCTL_DEADLINE"),
  });
  const ground: Ground = {
    scopes: scopes.value,
    settings: loaded.settings,
    isProjectUnusable: loaded.isProjectUnusable,
    choice: {
      hooksDirs: flags.hooksDirs,
      only: flags.only,
      skip: flags.skip,
      isTrustedForOneCall: flags.trust,
      useCache: flags.useCache,
      mayStart,
    },
    env: world.env,
    cwd: world.cwd,
    userId: world.userId,
    nowMs: world.nowMs(),
    elapsedMs: world.elapsedMs,
    runId: newRunId(world.nowMs(), world.random),
    depth: depthOf(world.env),
    cacheDir,
    interrupt: world.interrupt,
  };
  return ok({ ground, loaded });
}

/** Says what is wrong and gives the exit code that belongs to it. */
export async function refuse(problem: Problem, world: World): Promise<number> {
  const { problemText } = await import("../report/problem-text.ts");
  world.err(problemText(problem, PLAIN));
  return exitCodeOf(problem);
}

/** Where the record lies; null without a usable HOME. */
export function recordFile(ground: Ground): string | null {
  const stateHome = folderIn(ground.env, "XDG_STATE_HOME") ?? under(ground.scopes.homeDir, ".local/state");
  return stateHome === null ? null : join(stateHome, "hookctl", "audit.jsonl");
}

/** HOME and the XDG folders count only when they are absolute; anything else would depend on the folder we are in. */
function folderIn(env: World["env"], name: string): string | null {
  const value = env[name];
  return value !== undefined && isAbsolute(value) ? value : null;
}

const under = (folder: string | null, name: string): string | null => (folder === null ? null : join(folder, name));

function durationIn(world: World, name: string): number | null {
  const read = readDuration(world.env[name] ?? "");
  return read.ok ? read.value : null;
}
