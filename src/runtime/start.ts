import { isAbsolute, join, resolve } from "node:path";
import { readDuration } from "../contract/duration.ts";
import type { Problem, UsageProblem } from "../contract/problem.ts";
import { fail, ok, type Result } from "../contract/result.ts";
import type { Warning } from "../contract/warning.ts";
import { findScopes, isFolder, type Scopes } from "../discover/scopes.ts";
import { leadsInto } from "../disk/paths.ts";
import { newRunId } from "../record/run-id.ts";
import { type LoadedSettings, loadSettings } from "../settings/load-settings.ts";
import { ABSENT, stateOf, userConfigIn } from "../settings/places.ts";
import type { World } from "../world.ts";
import { type Choice, depthOf, type Functions, type Ground, type Outside } from "./ground.ts";

export interface Started {
  readonly ground: Ground;
  readonly loaded: LoadedSettings;
}

/** Where a call stands whose own folder was deleted under it: with the user's own hooks, which are still to be asked. */
export const standInFolder = ({ cwd, env }: Around): string | null => (isFolder(cwd) ? null : folderIn(env, "HOME"));

/** What a caller wants of one call, whoever it is: flags on a command line, or options in a program. */
export interface Wanted {
  /** `-C`; null: the working directory. */
  readonly directory: string | null;
  readonly hooksDirs: readonly string[];
  /** A settings file in place of the project's; null: the usual places. */
  readonly config: string | null;
  readonly only: string | null;
  readonly skip: readonly string[];
  readonly timeoutMs: number | null;
  readonly deadlineMs: number | null;
  readonly trust: boolean;
  readonly useCache: boolean;
}

/** The part of the outside that a call stands on: no streams, no terminal. */
export type Around = Pick<World, "env" | "cwd" | "userId" | "nowMs" | "elapsedMs" | "random" | "interrupt"> & {
  readonly functions?: Functions;
};

/** What every call has in common: where the project is, what the settings say, what may be started. */
export async function start(wanted: Wanted, world: Around, mayStart: boolean): Promise<Result<Started, Problem>> {
  const scopes = findScopes({ cwd: world.cwd, directory: wanted.directory, home: folderIn(world.env, "HOME") });
  if (!scopes.ok) return scopes;
  const missing = wanted.hooksDirs.find((path) => !isFolder(resolve(scopes.value.projectDir, path)));
  if (missing !== undefined) {
    return fail({ code: "USAGE_BAD_VALUE", flag: "--hooks-dir", value: missing, detail: "there is no such folder" });
  }
  const timeout = durationIn(world.env, "HOOKCTL_TIMEOUT");
  if (!timeout.ok) return timeout;
  const deadline = durationIn(world.env, "HOOKCTL_DEADLINE");
  if (!deadline.ok) return deadline;
  const { homeDir, projectDir, hasProject } = scopes.value;
  const cacheDir = cacheFolder(scopes.value, world.env);
  const config = configFolder(scopes.value, world.env);
  const loaded = await loadSettings({
    projectDir,
    hasProject,
    homeDir,
    configHome: config.folder,
    explicitFile: wanted.config === null ? null : resolve(world.cwd, wanted.config),
    cacheDir,
    timeoutMs: wanted.timeoutMs ?? timeout.value,
    deadlineMs: wanted.deadlineMs ?? deadline.value,
  });
  const { settings, isProjectUnusable } = loaded;
  const trustFile = trustStore(scopes.value, world.env);
  const sessionsDir = sessionsFolder(scopes.value, world.env);
  // Where hooks start that no payload sends elsewhere. Without `-C` the project was found from here, so here is a folder.
  const cwd = wanted.directory === null || isFolder(world.cwd) ? world.cwd : projectDir;
  const where = { scopes: scopes.value, cwd, settings, isProjectUnusable, cacheDir, trustFile, sessionsDir };
  const told = { ...loaded, warnings: [...loaded.warnings, ...config.warnings] };
  return ok({ loaded: told, ground: { ...outsideOf(world), ...where, choice: choiceOf(wanted, mayStart) } });
}

function choiceOf(wanted: Wanted, mayStart: boolean): Choice {
  return {
    hooksDirs: wanted.hooksDirs,
    only: wanted.only,
    skip: wanted.skip,
    isTrustedForOneCall: wanted.trust,
    approvedOnce: [],
    useCache: wanted.useCache,
    mayStart,
  };
}

function outsideOf(world: Around): Omit<Outside, "cwd"> {
  const nowMs = world.nowMs();
  return {
    env: world.env,
    userId: world.userId,
    nowMs,
    elapsedMs: world.elapsedMs,
    runId: newRunId(nowMs, world.random),
    depth: depthOf(world.env),
    interrupt: world.interrupt,
    functions: world.functions ?? null,
  };
}

/** Where the user's settings lie beside HOME's own. A project that sets the variable must not speak for the user. */
export function configFolder({ homeDir, projectDir, hasProject }: Omit<Scopes, "hasKodelet">, env: World["env"]) {
  const chosen = folderIn(env, "XDG_CONFIG_HOME");
  const usual = { folder: under(homeDir, ".config"), warnings: [] };
  if (chosen === null) return usual;
  if (!hasProject || !leadsInto(projectDir, chosen)) return { folder: chosen, warnings: [] };
  const path = userConfigIn(chosen);
  const refused: Warning = { code: "CONFIG_IN_PROJECT", path };
  return stateOf(path) !== ABSENT && chosen !== usual.folder ? { ...usual, warnings: [refused] } : usual;
}

/** Where plans and answers are remembered. A project that sets the variable must not answer for the user's hooks. */
function cacheFolder({ homeDir, projectDir }: Scopes, env: World["env"]): string | null {
  const chosen = folderIn(env, "XDG_CACHE_HOME");
  if (chosen !== null && leadsInto(projectDir, chosen)) return null;
  const cacheHome = chosen ?? under(homeDir, ".cache");
  return cacheHome === null ? null : join(cacheHome, "hookctl");
}

/** Where approvals are kept. Without a usable HOME there are none, and a project must not bring its own. */
function trustStore({ homeDir, projectDir, hasProject }: Scopes, env: World["env"]): string | null {
  const stateHome = folderIn(env, "XDG_STATE_HOME") ?? under(homeDir, ".local/state");
  const chosen = folderIn(env, "HOOKCTL_TRUST_STORE") ?? (stateHome && join(stateHome, "hookctl", "trust.json"));
  return homeDir === null || chosen === null || (hasProject && leadsInto(projectDir, chosen)) ? null : chosen;
}

/** Where sessions keep their values and messages. A project must not bring its own; in HOME there is no project. */
export function sessionsFolder({ homeDir, projectDir, hasProject }: Scopes, env: World["env"]): string | null {
  const stateHome = folderIn(env, "XDG_STATE_HOME") ?? under(homeDir, ".local/state");
  return stateHome === null || (hasProject && leadsInto(projectDir, stateHome))
    ? null
    : join(stateHome, "hookctl", "sessions");
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
