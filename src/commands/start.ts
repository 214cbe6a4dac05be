import { isAbsolute, join, resolve } from "node:path";
import { readDuration } from "../contract/duration.ts";
import { EXIT, exitCodeOf, type Problem, type UsageProblem } from "../contract/problem.ts";
import { fail, ok, type Result } from "../contract/result.ts";
import { findScopes, isFolder, type Scopes } from "../discover/scopes.ts";
import { isInside } from "../process/paths.ts";
import { newRunId } from "../record/run-id.ts";
import { PLAIN } from "../report/style.ts";
import { type Choice, depthOf, type Ground, type Outside } from "../runtime/ground.ts";
import { type LoadedSettings, loadSettings } from "../settings/load-settings.ts";
import type { World } from "../world.ts";
import type { Flags } from "./flags.ts";

export interface Started {
  readonly ground: Ground;
  readonly loaded: LoadedSettings;
}

/** What run and list have in common: where the project is, what the settings say, what may be started. */
export async function start(flags: Flags, world: World, mayStart: boolean): Promise<Result<Started, Problem>> {
  const scopes = findScopes({ cwd: world.cwd, directory: flags.directory, home: folderIn(world.env, "HOME") });
  if (!scopes.ok) return scopes;
  const missing = flags.hooksDirs.find((path) => !isFolder(resolve(scopes.value.projectDir, path)));
  if (missing !== undefined) {
    return fail({ code: "USAGE_BAD_VALUE", flag: "--hooks-dir", value: missing, detail: "there is no such folder" });
  }
  const timeout = durationIn(world.env, "HOOKCTL_TIMEOUT");
  if (!timeout.ok) return timeout;
  const deadline = durationIn(world.env, "HOOKCTL_DEADLINE");
  if (!deadline.ok) return deadline;
  const { homeDir, projectDir, hasProject } = scopes.value;
  const cacheDir = cacheFolder(scopes.value, world.env);
  const loaded = await loadSettings({
    projectDir,
    hasProject,
    homeDir,
    configHome: folderIn(world.env, "XDG_CONFIG_HOME") ?? under(homeDir, ".config"),
    explicitFile: flags.config === null ? null : resolve(world.cwd, flags.config),
    cacheDir,
    timeoutMs: flags.timeoutMs ?? timeout.value,
    deadlineMs: flags.deadlineMs ?? deadline.value,
  });
  const { settings, isProjectUnusable } = loaded;
  const trustFile = trustStore(scopes.value, world.env);
  const sessionsDir = sessionsFolder(scopes.value, world.env);
  const where = { scopes: scopes.value, settings, isProjectUnusable, cacheDir, trustFile, sessionsDir };
  return ok({ loaded, ground: { ...outsideOf(world), ...where, choice: choiceOf(flags, mayStart) } });
}

function choiceOf(flags: Flags, mayStart: boolean): Choice {
  return {
    hooksDirs: flags.hooksDirs,
    only: flags.only,
    skip: flags.skip,
    isTrustedForOneCall: flags.trust,
    approvedOnce: [],
    useCache: flags.useCache,
    mayStart,
  };
}

function outsideOf(world: World): Outside {
  const nowMs = world.nowMs();
  return {
    env: world.env,
    cwd: world.cwd,
    userId: world.userId,
    nowMs,
    elapsedMs: world.elapsedMs,
    runId: newRunId(nowMs, world.random),
    depth: depthOf(world.env),
    interrupt: world.interrupt,
  };
}

/** Where plans and answers are remembered. A project that sets the variable must not answer for the user's hooks. */
function cacheFolder({ homeDir, projectDir }: Scopes, env: World["env"]): string | null {
  const chosen = folderIn(env, "XDG_CACHE_HOME");
  if (chosen !== null && isInside(projectDir, chosen)) return null;
  const cacheHome = chosen ?? under(homeDir, ".cache");
  return cacheHome === null ? null : join(cacheHome, "hookctl");
}

/** Where approvals are kept. Without a usable HOME there are none, and a project must not bring its own. */
function trustStore({ homeDir, projectDir }: Scopes, env: World["env"]): string | null {
  const stateHome = folderIn(env, "XDG_STATE_HOME") ?? under(homeDir, ".local/state");
  const chosen = folderIn(env, "HOOKCTL_TRUST_STORE") ?? (stateHome && join(stateHome, "hookctl", "trust.json"));
  return homeDir === null || chosen === null || isInside(projectDir, chosen) ? null : chosen;
}

/** Where sessions keep their values and messages. A project must not bring its own; in HOME there is no project. */
export function sessionsFolder({ homeDir, projectDir, hasProject }: Scopes, env: World["env"]): string | null {
  const stateHome = folderIn(env, "XDG_STATE_HOME") ?? under(homeDir, ".local/state");
  return stateHome === null || (hasProject && isInside(projectDir, stateHome))
    ? null
    : join(stateHome, "hookctl", "sessions");
}

/** Says what is wrong and gives the exit code that belongs to it. */
export async function refuse(problem: Problem, world: World): Promise<number> {
  const { problemText } = await import("../report/problem-text.ts");
  world.err(problemText(problem, PLAIN));
  return exitCodeOf(problem);
}

/** Prints the answer of a command; one that could not be written is a failure of its own. */
export async function print(text: string, world: World): Promise<number> {
  const lost = world.out(text);
  return lost === null ? EXIT.goOn : refuse({ code: "OUTPUT_LOST", cause: lost }, world);
}

/** Where the record lies; null without a usable HOME. */
export function recordFile(ground: Ground): string | null {
  const stateHome = folderIn(ground.env, "XDG_STATE_HOME") ?? under(ground.scopes.homeDir, ".local/state");
  return stateHome === null ? null : join(stateHome, "hookctl", "audit.jsonl");
}

/** HOME and the XDG folders count only when they are absolute; anything else would depend on the folder we are in. */
export function folderIn(env: World["env"], name: string): string | null {
  const value = env[name];
  return value !== undefined && isAbsolute(value) ? value : null;
}

const under = (folder: string | null, name: string): string | null => (folder === null ? null : join(folder, name));

function durationIn(env: World["env"], name: string): Result<number | null, UsageProblem> {
  const text = env[name] ?? "";
  const read = text === "" ? ok(null) : readDuration(text);
  return read.ok ? read : fail({ code: "USAGE_BAD_VALUE", flag: name, value: text, detail: read.error });
}
