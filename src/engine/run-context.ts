import { resolve } from "node:path";
import { newRunId } from "../audit/run-id.ts";
import type { CompiledSettings } from "../config/compiled-settings.ts";
import { loadConfigFiles } from "../config/load-settings.ts";
import type { Settings } from "../config/settings.ts";
import { type HookFolder, hookFoldersIn } from "../discover/find-candidates.ts";
import { type Scopes, withFoldersAbove } from "../discover/scopes.ts";
import { isFolder } from "../fs/file-kind.ts";
import { LOCK_TIMEOUT_MS } from "../fs/lock.ts";
import type { Host } from "../host.ts";
import type { InvokeContext } from "../invoke/invoke-executable.ts";
import type { Interrupt } from "../process/process-request.ts";
import type { Approval } from "../protocol/approval.ts";
import type { EventName } from "../protocol/event.ts";
import type { Hook } from "../protocol/hook.ts";
import type { HookResult } from "../protocol/hook-response.ts";
import type { Payload } from "../protocol/payload.ts";
import type { Problem, UsageProblem } from "../protocol/problem.ts";
import { fail, ok, type Result } from "../protocol/result.ts";
import { parseDuration } from "../protocol/units.ts";
import type { LostSettings } from "../trust/store/settings-guards.ts";
import { openTrustStore, type TrustStore } from "../trust/store/trust-store.ts";
import type { Session } from "./run/session.ts";
import { type EffectiveSettings, loadEffectiveSettings } from "./settings/effective-settings.ts";
import {
  absoluteFolder,
  callerOf,
  defaultTrustFile,
  findCallerScopes,
  findUserPaths,
  type UserPaths,
} from "./user-paths.ts";

/** What every step of one call stands on. Built once by a command or by the library. */
export interface RunContext extends CallContext, Omit<UserPaths, "configHome" | "warnings"> {
  readonly scopes: Scopes;
  readonly settings: Settings;
  /** The settings files as they lie there now, approved or not. */
  readonly plan: CompiledSettings;
  /** Guards of the user's settings that cannot be loaded any more; null: there are none. */
  readonly lostSettings: LostSettings | null;
  /** The approvals as this call read them. */
  readonly trustStore: TrustStore;
  readonly options: CallOptions;
  /** The caller raises `on_error` itself for a tool call that failed: nobody is told of it twice. */
  readonly isErrorRaised?: boolean;
}

/** What a call takes from around it. */
export interface CallContext {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Where hooks run when the payload names no folder. */
  readonly cwd: string;
  readonly userId: number;
  readonly nowMs: number;
  readonly elapsedMs: () => number;
  /** When the call began, by that clock; its deadline counts from here. */
  readonly beganMs: number;
  readonly runId: string;
  /** How many hookctl calls are around this one. */
  readonly depth: number;
  readonly interrupt: Interrupt;
  /** Hooks that are functions of the program we run in; null on a command line, which has none. */
  readonly functions: FunctionHooks | null;
}

/** Hooks that are functions: the program that registered them says what they are and asks them. */
export interface FunctionHooks {
  readonly hooksFor: (event: EventName | null, settings: Settings) => readonly Hook[];
  /** How one is asked whose payload belongs to this session. */
  readonly invokerFor: (
    session: Session,
  ) => (hook: Hook, payload: Payload, context: InvokeContext) => Promise<HookResult>;
}

/** Which hooks the caller wants. */
export interface CallOptions {
  /** Folders in place of the default ones; they need approval like a project. */
  readonly hooksDirs: readonly string[];
  /** Only hooks whose name fits this glob. */
  readonly only: string | null;
  readonly skip: readonly string[];
  readonly isTrustedForOneCall: boolean;
  /** What the person at the terminal approved for this call (`run --ask`). */
  readonly approvedOnce: readonly Approval[];
  readonly useCache: boolean;
  /** Nothing is started at all: what is not remembered stays unknown (`--dry-run`). */
  readonly mayStart: boolean;
}

/** The folders of this call in their order: the project before the user, its outermost folder first, or only the ones that were named. */
export function hookFolders({ options, scopes }: RunContext): readonly HookFolder[] {
  if (options.hooksDirs.length > 0) {
    const { projectDir } = scopes;
    const explicit = { source: "explicit", projectDir, prefix: "" } as const;
    return options.hooksDirs.map((path) => ({ path: resolve(projectDir, path), ...explicit }));
  }
  const project = scopes.projectDirs.flatMap((folder) => hookFoldersIn("project", folder));
  return [...project, ...(scopes.homeDir === null ? [] : hookFoldersIn("user", scopes.homeDir))];
}

/** What is left until the deadline of the call, our own work and the payload's way to us included; infinite without one. */
export const remainingMs = ({ settings, elapsedMs, beganMs }: RunContext): number =>
  (settings.deadlineMs ?? Number.POSITIVE_INFINITY) - (elapsedMs() - beganMs);

/** How long a run may wait for its turn at a file that others write as well: never so long that its answer comes too late. */
export const lockTimeoutMs = (context: RunContext): number =>
  Math.min(LOCK_TIMEOUT_MS, Math.max(LEAST_MS, remainingMs(context)));
const LEAST_MS = 500;

/** Hooks that call hookctl may do so this deep (SPEC 5). */
export const DEPTH_LIMIT = 3;

/** The depth that the caller's environment tells; a value that is no small number counts as none. */
export function callDepth(env: Readonly<Record<string, string | undefined>>): number {
  const text = env.HOOKCTL_DEPTH ?? "";
  return /^\d{1,6}$/.test(text) ? Number(text) : 0;
}

/** `HOOKCTL_NO_HOOKS`: nothing is started and the answer is "no action". `0` and the like do not set it. */
export const areHooksDisabled = (env: Readonly<Record<string, string | undefined>>): boolean =>
  ["1", "true", "yes", "on"].includes(env.HOOKCTL_NO_HOOKS?.toLowerCase() ?? "");

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
