import { resolve } from "node:path";
import { newRunId } from "../audit/run-stamp.ts";
import { type CompiledFile, loadConfigFiles, loadMachineSettings, machineFileIn } from "../config/load-settings.ts";
import type { RequestedLimits } from "../config/merge-settings.ts";
import { type Scopes, withFoldersAbove } from "../discover/scopes.ts";
import { findMachineFolder, machineCache } from "../fs/machine-folder.ts";
import { mayBeFolder, whyNotFolder } from "../fs/paths.ts";
import type { Problem, UsageProblem } from "../protocol/problem.ts";
import { fail, type Result } from "../protocol/result.ts";
import { parseDuration } from "../protocol/text/units.ts";
import type { Warning } from "../protocol/warning.ts";
import { openTrustStore } from "../trust/store/trust-store.ts";
import { findPausedHooks, skippedByVariable } from "./hooks/select-hooks.ts";
import {
  type CallContext,
  type CallOptions,
  callDepth,
  type EngineHost,
  type EngineOptions,
  type MachineScope,
  type RunContext,
} from "./run-context.ts";
import { type EffectiveSettings, loadEffectiveSettings, withFormerGuards } from "./settings/effective-settings.ts";
import {
  absoluteFolder,
  callerOf,
  defaultTrustFile,
  findCallerScopes,
  findUserPaths,
  withoutUser,
} from "./user-paths.ts";

export interface CreatedContext {
  readonly context: RunContext;
  readonly loaded: EffectiveSettings;
}

/**
 * The directory to use instead of a deleted working directory, so that the user's own hooks still run, or at least those of the
 * machine. Null if it is not deleted, or if there is nothing to run.
 */
export function fallbackFolder({ cwd, env }: EngineHost): string | null {
  if (mayBeFolder(cwd)) return null;
  const home = absoluteFolder(env, "HOME");
  const isUsable = findMachineFolder() === null || (home !== null && mayBeFolder(home));
  return isUsable ? home : "/";
}

/** Finds the project, loads the settings in effect and returns the context of the call. */
export async function createRunContext(
  requested: EngineOptions,
  host: EngineHost,
  mayStart: boolean,
): Promise<Result<CreatedContext, Problem>> {
  const caller = callerOf(host, requested.directory);
  const found = findCallerScopes(caller);
  if (!found.ok) return found;
  const { emptyHome } = requested;
  const own =
    emptyHome === undefined
      ? null
      : withoutUser({ found: found.value, emptyHome, areOnlyDenials: requested.trust }, caller);
  const { configHome, pausesFile, warnings, ...places } = own?.places ?? findUserPaths(found.value, caller);
  const trustStore = openTrustStore({ ...places, userId: host.userId });
  const isNamed = trustStore.mayHaveApprovalsIn;
  const scopes = withFoldersAbove(own?.scopes ?? found.value, isNamed);
  const { homeDir, projectDir } = scopes;
  for (const value of requested.hooksDirs) {
    const detail = whyNotFolder(resolve(projectDir, value));
    if (detail !== null) return fail({ code: "USAGE_BAD_VALUE", flag: "--hooks-dir", value, detail });
  }
  const limits = limitsOf(requested, host.env);
  if (!limits.ok) return limits;
  const explicitFile = requested.config === null ? null : resolve(host.cwd, requested.config);
  const projectDirs = settingsFolders(scopes, isNamed);
  const mayBeApproved = projectDirs.some(isNamed);
  const { cacheDir, trustFile } = places;
  const nowMs = host.nowMs();
  const files = await loadConfigFiles({ projectDirs, homeDir, configHome, explicitFile, cacheDir, nowMs });
  const plan = withFormerGuards(files, { trustFile, userId: host.userId });
  const machine = await openMachine(requested.useCache, nowMs);
  const loaded = await loadEffectiveSettings(plan, {
    machineFile: machine?.settingsFile ?? null,
    isOff: requested.isOff === true,
    scopes: { ...scopes, projectDirs },
    trustStore,
    mayBeApproved,
    isExplicit: explicitFile !== null || own !== null,
    trustFile,
    defaultStore: defaultTrustFile(homeDir),
    limits: limits.value,
    isTrusted: requested.trust,
    isRehearsal: own !== null,
    host,
  });
  const { settings, lostSettings } = loaded;
  const paused = await findPausedHooks(pausesFile, scopes, host);
  // The directory of hooks whose payload names none. Without `-C` the project was found from it, so it exists.
  const cwd = requested.directory === null || mayBeFolder(host.cwd) ? host.cwd : projectDir;
  const where = { scopes, cwd, settings, plan, lostSettings, machine, trustStore, pauses: paused.pauses, ...places };
  const allWarnings = [...machineWarnings(machine), ...loaded.warnings, ...warnings, ...paused.warnings];
  const context = { ...outsideOf(host), ...where, options: choiceOf(requested, host.env, mayStart) };
  return { ok: true, value: { loaded: { ...loaded, warnings: allWarnings }, context } };
}

/** The same for a call that needs valid settings: fails with their first problem. */
export async function createCheckedContext(
  requested: EngineOptions,
  host: EngineHost,
  mayStart: boolean,
): Promise<Result<CreatedContext, Problem>> {
  const created = await createRunContext(requested, host, mayStart);
  const [problem] = created.ok ? created.value.loaded.problems : [];
  return problem === undefined ? created : fail(problem);
}

/** Includes folders that lost their `.kodelet`, because settings that were approved there still apply. */
function settingsFolders({ hasProject, folders, projectDirs }: Scopes, isNamed: (folder: string) => boolean) {
  const all = folders.filter((folder) => projectDirs.includes(folder) || isNamed(folder)).reverse();
  return hasProject ? [...projectDirs.filter((folder) => !all.includes(folder)), ...all] : [];
}

function choiceOf(requested: EngineOptions, env: EngineHost["env"], mayStart: boolean): CallOptions {
  return {
    hooksDirs: requested.hooksDirs,
    only: requested.only,
    skip: requested.skip,
    skipByVariable: skippedByVariable(env),
    isTrustedForOneCall: requested.trust,
    approvedOnce: [],
    useCache: requested.useCache,
    isOff: requested.isOff === true,
    mayStart,
    agent: requested.agent ?? null,
  };
}

/** What a call has of its own, beside its files. */
export function outsideOf(host: EngineHost): Omit<CallContext, "cwd"> {
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
    loadGuards: host.loadGuards,
  };
}

const LIMIT_VARIABLES = { timeoutMs: "HOOKCTL_TIMEOUT", deadlineMs: "HOOKCTL_DEADLINE" } as const;

/** The limits that the caller asks for: by an option, else by a variable. */
function limitsOf(requested: EngineOptions, env: EngineHost["env"]): Result<RequestedLimits, UsageProblem> {
  const { timeoutMs, deadlineMs, agentDeadlineMs = null } = requested;
  const limits = { timeoutMs, deadlineMs, agentDeadlineMs };
  for (const key of ["timeoutMs", "deadlineMs"] as const) {
    const name = LIMIT_VARIABLES[key];
    const value = env[name] ?? "";
    if (value === "") continue;
    const read = parseDuration(value);
    if (!read.ok) return fail({ code: "USAGE_BAD_VALUE", flag: name, value, detail: read.error });
    limits[key] ??= read.value;
  }
  return { ok: true, value: limits };
}
/** Null if this machine has no machine scope. The scope is used only if its settings can be read, too. */
async function openMachine(useCache: boolean, nowMs: number): Promise<MachineScope | null> {
  const folder = findMachineFolder();
  if (folder === null) return null;
  const cacheDir = useCache ? machineCache() : null;
  if (folder.cause !== null) return { ...folder, cacheDir, settingsFile: null, isParsed: false };
  const plan = await loadMachineSettings(folder.path, { cacheDir, nowMs });
  const settingsFile = machineFileIn(plan);
  return { ...folder, cause: await faultOf(settingsFile), cacheDir, settingsFile, isParsed: plan.isFresh };
}

async function faultOf(settingsFile: CompiledFile | null): Promise<string | null> {
  if (settingsFile === null) return null;
  const { problem, isBlank, file } = settingsFile;
  if (problem !== null) return (await import("../protocol/problem-messages/explain.ts")).explain(problem).summary;
  // A full disk leaves an empty file behind, and with it the guards would vanish.
  return isBlank ? `${file} is empty` : null;
}

const machineWarnings = (machine: MachineScope | null): readonly Warning[] =>
  machine === null || machine.cause === null
    ? []
    : [{ code: "MACHINE_REFUSED", path: machine.path, cause: machine.cause }];
