import { resolve } from "node:path";
import { newRunId } from "../audit/run-id.ts";
import { type CompiledSettings, loadConfigFiles } from "../config/load-settings.ts";
import type { RequestedLimits, Settings } from "../config/merge-settings.ts";
import { type HookFolder, hookFoldersIn } from "../discover/find-candidates.ts";
import { type Scopes, withFoldersAbove } from "../discover/scopes.ts";
import { LOCK_TIMEOUT_MS } from "../fs/lock.ts";
import { findMachineFolder } from "../fs/machine-folder.ts";
import { isFolder } from "../fs/paths.ts";
import type { Host } from "../host.ts";
import type { InvokeContext } from "../invoke/invoke-executable.ts";
import { type Deadline, remainingMs } from "../process/clock.ts";
import type { Interrupt } from "../process/process-request.ts";
import type { Approval } from "../protocol/approval.ts";
import type { EventName } from "../protocol/event.ts";
import { type Hook, isMachine } from "../protocol/hook.ts";
import type { HookResult } from "../protocol/hook-response.ts";
import type { JsonObject } from "../protocol/json/read.ts";
import type { Payload } from "../protocol/payload/payload.ts";
import type { Problem, UsageProblem } from "../protocol/problem.ts";
import { fail, ok, type Result } from "../protocol/result.ts";
import { parseDuration } from "../protocol/text/units.ts";
import type { LostSettings } from "../trust/store/last-known-guards.ts";
import { openTrustStore, type TrustStore } from "../trust/store/trust-store.ts";
import { type MachineScope, machineHookFolders, machineWarnings, openMachine } from "./machine-scope.ts";
import { findPausedHooks, skippedByVariable } from "./paused-hooks.ts";
import type { Session } from "./run/session-effects.ts";
import { type EffectiveSettings, loadEffectiveSettings } from "./settings/effective-settings.ts";
import {
  absoluteFolder,
  callerOf,
  defaultTrustFile,
  findCallerScopes,
  findUserPaths,
  type UserPaths,
  withoutUser,
} from "./user-paths.ts";

/** Everything that the steps of one call share. Made once, by a command or by the library. */
export interface RunContext extends CallContext, Omit<UserPaths, "configHome" | "pausesFile" | "warnings"> {
  readonly scopes: Scopes;
  readonly settings: Settings;
  /** The settings files as they are now, approved or not. */
  readonly plan: CompiledSettings;
  /** Guards in user settings that can no longer be loaded; null: there are none. */
  readonly lostSettings: LostSettings | null;
  /** What the administrator decided for everybody; null: nothing. */
  readonly machine: MachineScope | null;
  /** The approvals as this call read them. */
  readonly trustStore: TrustStore;
  /** The hooks that a person paused: name -> reason. */
  readonly pauses: ReadonlyMap<string, string>;
  readonly options: CallOptions;
  /** The payload as the agent sent it; of the events that one call of an agent raises only the first has it. */
  readonly native?: NativePayload;
  /** True if the caller raises `on_error` itself for a failed tool call, so that its hooks do not run twice. */
  readonly isErrorRaised?: boolean;
}

/** What an agent sent, under its own name of the event. */
export interface NativePayload {
  readonly event: string;
  readonly members: JsonObject;
}

/** What a call takes from the process that it runs in. */
export interface CallContext {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Where hooks run when the payload names no folder. */
  readonly cwd: string;
  readonly userId: number;
  readonly nowMs: number;
  readonly elapsedMs: () => number;
  /** When the call began, by the clock of `elapsedMs`; its deadline counts from here. */
  readonly beganMs: number;
  readonly runId: string;
  /** How many hookctl processes are above this one. */
  readonly depth: number;
  readonly interrupt: Interrupt;
  /** Hooks that are functions of the host program; null on the command line. */
  readonly functions: FunctionHooks | null;
}

/** Hooks that are functions. The library declares and invokes them. */
export interface FunctionHooks {
  readonly hooksFor: (event: EventName | null, settings: Settings) => readonly Hook[];
  /** Returns the function that invokes a function hook for a payload of this session. */
  readonly invokerFor: (
    session: Session,
  ) => (hook: Hook, payload: Payload, context: InvokeContext) => Promise<HookResult>;
}

/** Which hooks the caller selected, and what the call may do. */
export interface CallOptions {
  /** Folders in place of the default ones; they need approval like a project. */
  readonly hooksDirs: readonly string[];
  /** Only hooks whose name fits this glob. */
  readonly only: string | null;
  readonly skip: readonly string[];
  /** The same in `HOOKCTL_SKIP`. */
  readonly skipByVariable: readonly string[];
  readonly isTrustedForOneCall: boolean;
  /** What the user approved for this call alone (`run --ask`). */
  readonly approvedOnce: readonly Approval[];
  readonly useCache: boolean;
  /** True if all hooks are off (`--no-hooks`), but for those of the machine. */
  readonly isOff: boolean;
  /** False: nothing is started, so an identity that is not cached stays unknown (`--dry-run`). */
  readonly mayStart: boolean;
  /** The agent that calls; null for a person or a program. */
  readonly agent: string | null;
}

/** The folders of this call in their order: the project's, its outermost first, the user's, and the machine's. */
export function hookFolders(context: RunContext): readonly HookFolder[] {
  const { options, machine } = context;
  return [...(options.isOff ? [] : choosableFolders(context)), ...machineHookFolders(machine)];
}

/** The folders that an option can replace. */
function choosableFolders({ options, scopes }: RunContext): readonly HookFolder[] {
  if (options.hooksDirs.length > 0) {
    const { projectDir } = scopes;
    const explicit = { source: "explicit", projectDir, prefix: "" } as const;
    return options.hooksDirs.map((path) => ({ path: resolve(projectDir, path), ...explicit }));
  }
  const project = scopes.projectDirs.flatMap((folder) => hookFoldersIn("project", folder));
  return [...project, ...(scopes.homeDir === null ? [] : hookFoldersIn("user", scopes.homeDir))];
}

/** The deadline of the call, which counts from the start of the process. */
export const deadlineOf = ({ settings, elapsedMs, beganMs }: RunContext): Deadline => ({
  atMs: beganMs + (settings.deadlineMs ?? Number.POSITIVE_INFINITY),
  elapsedMs,
});

/** The deadline of one hook. What the user chooses does not count for the machine's hooks. */
export function deadlineFor(hook: Pick<Hook, "source">, context: RunContext): Deadline {
  if (!isMachine(hook)) return deadlineOf(context);
  const { settings, elapsedMs, beganMs } = context;
  return { atMs: beganMs + (settings.machine.deadlineMs ?? Number.POSITIVE_INFINITY), elapsedMs };
}

/** How long a run may wait for the lock of a shared file: not beyond its deadline, but at least half a second. */
export const lockTimeoutMs = (context: RunContext): number =>
  Math.min(LOCK_TIMEOUT_MS, Math.max(LEAST_MS, remainingMs(deadlineOf(context))));
const LEAST_MS = 500;

/** How deeply hooks may call hookctl again. */
export const DEPTH_LIMIT = 3;

/** The depth in HOOKCTL_DEPTH; anything but a small number counts as 0. */
export function callDepth(env: Readonly<Record<string, string | undefined>>): number {
  const text = env.HOOKCTL_DEPTH ?? "";
  return /^\d{1,6}$/.test(text) ? Number(text) : 0;
}

/** True if `HOOKCTL_NO_HOOKS` is set to a true value: no hook is started and every call is allowed. */
export const areHooksDisabled = (env: Readonly<Record<string, string | undefined>>): boolean =>
  ["1", "true", "yes", "on"].includes(env.HOOKCTL_NO_HOOKS?.toLowerCase() ?? "");

export interface CreatedContext {
  readonly context: RunContext;
  readonly loaded: EffectiveSettings;
}

/**
 * The directory in place of a deleted working directory, so that the user's own hooks still run, or at least those of the
 * machine. Null: it is not deleted, or there is nothing to run.
 */
export function fallbackFolder({ cwd, env }: EngineHost): string | null {
  if (isFolder(cwd)) return null;
  const home = absoluteFolder(env, "HOME");
  const isUsable = findMachineFolder() === null || (home !== null && isFolder(home));
  return isUsable ? home : "/";
}

/** Options of one call, from the command line or from a program. */
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
  /** `--no-hooks` or its variable: only the machine's hooks run. */
  readonly isOff?: boolean;
  /** The agent that calls. */
  readonly agent?: string;
  /** How long the calling agent waits. */
  readonly agentDeadlineMs?: number;
  /** An empty folder in place of HOME: the project is judged as on any machine, and nothing of the user is read or written. */
  readonly emptyHome?: string;
}

/** The part of the host that a call uses: no streams, no terminal. */
export type EngineHost = Pick<
  Host,
  "env" | "cwd" | "userId" | "nowMs" | "elapsedMs" | "beganMs" | "random" | "interrupt"
> & {
  readonly functions?: FunctionHooks;
};

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
  const missing = requested.hooksDirs.find((path) => !isFolder(resolve(projectDir, path)));
  if (missing !== undefined) {
    return fail({ code: "USAGE_BAD_VALUE", flag: "--hooks-dir", value: missing, detail: "there is no such folder" });
  }
  const limits = limitsOf(requested, host.env);
  if (!limits.ok) return limits;
  const explicitFile = requested.config === null ? null : resolve(host.cwd, requested.config);
  const projectDirs = settingsFolders(scopes, isNamed);
  const mayBeApproved = projectDirs.some(isNamed);
  const { cacheDir } = places;
  const plan = await loadConfigFiles({ projectDirs, homeDir, configHome, explicitFile, cacheDir });
  const machine = await openMachine(requested.useCache);
  const isTrusted = requested.trust;
  const loaded = await loadEffectiveSettings(plan, {
    machineFile: machine?.settingsFile ?? null,
    isOff: requested.isOff === true,
    scopes: { ...scopes, projectDirs },
    trustStore,
    mayBeApproved,
    isExplicit: explicitFile !== null || own !== null,
    trustFile: places.trustFile,
    usualStore: defaultTrustFile(homeDir),
    wishes: limits.value,
    isTrusted,
    isRehearsal: own !== null,
    host,
  });
  const { settings, lostSettings } = loaded;
  const paused = await findPausedHooks(pausesFile, scopes, host);
  // The directory of hooks whose payload names none. Without `-C` the project was found from it, so it exists.
  const cwd = requested.directory === null || isFolder(host.cwd) ? host.cwd : projectDir;
  const where = { scopes, cwd, settings, plan, lostSettings, machine, trustStore, pauses: paused.pauses, ...places };
  const allWarnings = [...machineWarnings(machine), ...loaded.warnings, ...warnings, ...paused.warnings];
  const options = choiceOf(requested, host.env, mayStart);
  return ok({ loaded: { ...loaded, warnings: allWarnings }, context: { ...outsideOf(host), ...where, options } });
}

/** Includes folders that lost their `.kodelet`, because settings that were approved there still apply. */
function settingsFolders({ hasProject, folders, projectDirs }: Scopes, isNamed: (folder: string) => boolean) {
  const all = folders.filter((folder) => projectDirs.includes(folder) || isNamed(folder)).reverse();
  return hasProject ? [...projectDirs.filter((folder) => !all.includes(folder)), ...all] : [];
}

function choiceOf(requested: EngineOptions, env: Host["env"], mayStart: boolean): CallOptions {
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

const LIMIT_VARIABLES = { timeoutMs: "HOOKCTL_TIMEOUT", deadlineMs: "HOOKCTL_DEADLINE" } as const;

/** The limits that the caller asks for: by an option, else by a variable. */
function limitsOf(requested: EngineOptions, env: Host["env"]): Result<RequestedLimits, UsageProblem> {
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
  return ok(limits);
}
