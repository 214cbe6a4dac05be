import { resolve } from "node:path";
import { newRunId } from "../audit/run-id.ts";
import { loadPlan } from "../config/load-settings.ts";
import { isFolder, type Scopes, withFoldersAbove } from "../discover/scopes.ts";
import { readDuration } from "../protocol/duration.ts";
import type { Problem, UsageProblem } from "../protocol/problem.ts";
import { fail, ok, type Result } from "../protocol/result.ts";
import { projectsNamedIn } from "../trust/store.ts";
import type { World } from "../world.ts";
import { type Choice, depthOf, type Functions, type Ground, type Outside } from "./ground.ts";
import { type LoadedSettings, settingsInForce } from "./settings-in-force.ts";
import { callerOf, folderIn, scopesOf, userPlaces, usualStore } from "./user-places.ts";

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
export type Around = Pick<
  World,
  "env" | "cwd" | "userId" | "nowMs" | "elapsedMs" | "beganMs" | "random" | "interrupt"
> & {
  readonly functions?: Functions;
};

/** What every call has in common: where the project is, what the settings say, what may be started. */
export async function start(wanted: Wanted, world: Around, mayStart: boolean): Promise<Result<Started, Problem>> {
  const caller = callerOf(world, wanted.directory);
  const found = scopesOf(caller);
  if (!found.ok) return found;
  const { configHome, warnings, ...places } = userPlaces(found.value, caller);
  const isNamed = projectsNamedIn(places, world.userId);
  const scopes = withFoldersAbove(found.value, isNamed);
  const { homeDir, projectDir } = scopes;
  const missing = wanted.hooksDirs.find((path) => !isFolder(resolve(projectDir, path)));
  if (missing !== undefined) {
    return fail({ code: "USAGE_BAD_VALUE", flag: "--hooks-dir", value: missing, detail: "there is no such folder" });
  }
  const timeout = durationIn(world.env, "HOOKCTL_TIMEOUT");
  if (!timeout.ok) return timeout;
  const deadline = durationIn(world.env, "HOOKCTL_DEADLINE");
  if (!deadline.ok) return deadline;
  const explicitFile = wanted.config === null ? null : resolve(world.cwd, wanted.config);
  const projectDirs = settingsFolders(scopes, isNamed);
  const { cacheDir } = places;
  const plan = await loadPlan({ projectDirs, homeDir, configHome, explicitFile, cacheDir });
  const wishes = {
    timeoutMs: wanted.timeoutMs ?? timeout.value,
    deadlineMs: wanted.deadlineMs ?? deadline.value,
  };
  const isTrusted = wanted.trust;
  const loaded = await settingsInForce(plan, {
    scopes: { ...scopes, projectDirs },
    isNamed,
    isExplicit: explicitFile !== null,
    trustFile: places.trustFile,
    usualStore: usualStore(homeDir),
    wishes,
    isTrusted,
    world,
  });
  const { settings, lostSettings } = loaded;
  // Where hooks start that no payload sends elsewhere. Without `-C` the project was found from here, so here is a folder.
  const cwd = wanted.directory === null || isFolder(world.cwd) ? world.cwd : projectDir;
  const where = { scopes, cwd, settings, plan, lostSettings, ...places };
  const told = { ...loaded, warnings: [...loaded.warnings, ...warnings] };
  return ok({ loaded: told, ground: { ...outsideOf(world), ...where, choice: choiceOf(wanted, mayStart) } });
}

/** Also a folder that has lost its `.kodelet`: the settings that were approved there still apply. */
function settingsFolders({ hasProject, folders, projectDirs }: Scopes, isNamed: (folder: string) => boolean) {
  const all = folders.filter((folder) => projectDirs.includes(folder) || isNamed(folder)).reverse();
  return hasProject ? [...projectDirs.filter((folder) => !all.includes(folder)), ...all] : [];
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
    beganMs: world.beganMs,
    runId: newRunId(nowMs, world.random),
    depth: depthOf(world.env),
    interrupt: world.interrupt,
    functions: world.functions ?? null,
  };
}

function durationIn(env: World["env"], name: string): Result<number | null, UsageProblem> {
  const text = env[name] ?? "";
  const read = text === "" ? ok(null) : readDuration(text);
  return read.ok ? read : fail({ code: "USAGE_BAD_VALUE", flag: name, value: text, detail: read.error });
}
