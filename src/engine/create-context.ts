import { resolve } from "node:path";
import { newRunId } from "../audit/run-id.ts";
import { loadConfigFiles } from "../config/load-settings.ts";
import { isFolder, type Scopes, withFoldersAbove } from "../discover/scopes.ts";
import type { Host } from "../host.ts";
import type { Problem, UsageProblem } from "../protocol/problem.ts";
import { fail, ok, type Result } from "../protocol/result.ts";
import { parseDuration } from "../protocol/units.ts";
import { openTrustStore } from "../trust/store/trust-store.ts";
import { type CallContext, type CallOptions, callDepth, type FunctionHooks, type RunContext } from "./run-context.ts";
import { type EffectiveSettings, loadEffectiveSettings } from "./settings/effective-settings.ts";
import { absoluteFolder, callerOf, defaultTrustFile, findCallerScopes, findUserPaths } from "./user-paths.ts";

export interface CreatedContext {
  readonly context: RunContext;
  readonly loaded: EffectiveSettings;
}

/** Where a call stands whose own folder was deleted under it: with the user's own hooks, which are still to be asked. */
export const fallbackFolder = ({ cwd, env }: EngineHost): string | null =>
  isFolder(cwd) ? null : absoluteFolder(env, "HOME");

/** What a caller wants of one call, whoever it is: flags on a command line, or options in a program. */
export interface EngineOptions {
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
export type EngineHost = Pick<
  Host,
  "env" | "cwd" | "userId" | "nowMs" | "elapsedMs" | "beganMs" | "random" | "interrupt"
> & {
  readonly functions?: FunctionHooks;
};

/** What every call has in common: where the project is, what the settings say, what may be started. */
export async function createRunContext(
  wanted: EngineOptions,
  host: EngineHost,
  mayStart: boolean,
): Promise<Result<CreatedContext, Problem>> {
  const caller = callerOf(host, wanted.directory);
  const found = findCallerScopes(caller);
  if (!found.ok) return found;
  const { configHome, warnings, ...places } = findUserPaths(found.value, caller);
  const trustStore = openTrustStore({ ...places, userId: host.userId });
  const isNamed = trustStore.mayHaveApprovalsIn;
  const scopes = withFoldersAbove(found.value, isNamed);
  const { homeDir, projectDir } = scopes;
  const missing = wanted.hooksDirs.find((path) => !isFolder(resolve(projectDir, path)));
  if (missing !== undefined) {
    return fail({ code: "USAGE_BAD_VALUE", flag: "--hooks-dir", value: missing, detail: "there is no such folder" });
  }
  const timeout = durationIn(host.env, "HOOKCTL_TIMEOUT");
  if (!timeout.ok) return timeout;
  const deadline = durationIn(host.env, "HOOKCTL_DEADLINE");
  if (!deadline.ok) return deadline;
  const explicitFile = wanted.config === null ? null : resolve(host.cwd, wanted.config);
  const projectDirs = settingsFolders(scopes, isNamed);
  const { cacheDir } = places;
  const plan = await loadConfigFiles({ projectDirs, homeDir, configHome, explicitFile, cacheDir });
  const wishes = {
    timeoutMs: wanted.timeoutMs ?? timeout.value,
    deadlineMs: wanted.deadlineMs ?? deadline.value,
  };
  const isTrusted = wanted.trust;
  const loaded = await loadEffectiveSettings(plan, {
    scopes: { ...scopes, projectDirs },
    trustStore,
    isExplicit: explicitFile !== null,
    trustFile: places.trustFile,
    usualStore: defaultTrustFile(homeDir),
    wishes,
    isTrusted,
    host,
  });
  const { settings, lostSettings } = loaded;
  // Where hooks start that no payload sends elsewhere. Without `-C` the project was found from here, so here is a folder.
  const cwd = wanted.directory === null || isFolder(host.cwd) ? host.cwd : projectDir;
  const where = { scopes, cwd, settings, plan, lostSettings, trustStore, ...places };
  const told = { ...loaded, warnings: [...loaded.warnings, ...warnings] };
  return ok({ loaded: told, context: { ...outsideOf(host), ...where, options: choiceOf(wanted, mayStart) } });
}

/** Also a folder that has lost its `.kodelet`: the settings that were approved there still apply. */
function settingsFolders({ hasProject, folders, projectDirs }: Scopes, isNamed: (folder: string) => boolean) {
  const all = folders.filter((folder) => projectDirs.includes(folder) || isNamed(folder)).reverse();
  return hasProject ? [...projectDirs.filter((folder) => !all.includes(folder)), ...all] : [];
}

function choiceOf(wanted: EngineOptions, mayStart: boolean): CallOptions {
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

function outsideOf(host: EngineHost): Omit<CallContext, "cwd"> {
  const nowMs = host.nowMs();
  return {
    env: host.env,
    userId: host.userId,
    nowMs,
    elapsedMs: host.elapsedMs,
    beganMs: host.beganMs,
    runId: newRunId(nowMs, host.random),
    depth: callDepth(host.env),
    interrupt: host.interrupt,
    functions: host.functions ?? null,
  };
}

function durationIn(env: Host["env"], name: string): Result<number | null, UsageProblem> {
  const text = env[name] ?? "";
  const read = text === "" ? ok(null) : parseDuration(text);
  return read.ok ? read : fail({ code: "USAGE_BAD_VALUE", flag: name, value: text, detail: read.error });
}
