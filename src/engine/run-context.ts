import type { CompiledFile, CompiledSettings } from "../config/load-settings.ts";
import type { Settings } from "../config/merge-settings.ts";
import type { Scopes } from "../discover/scopes.ts";
import { LOCK_TIMEOUT_MS } from "../fs/lock.ts";
import type { MachineFolder } from "../fs/machine-folder.ts";
import type { InvokeContext } from "../invoke/invoke-executable.ts";
import { type Deadline, type Interrupt, remainingMs } from "../process/process-request.ts";
import type { Approval } from "../protocol/approval.ts";
import type { EventName } from "../protocol/event.ts";
import type { Hook } from "../protocol/hook.ts";
import type { HookResult } from "../protocol/hook-response.ts";
import type { JsonObject } from "../protocol/json/read.ts";
import type { Payload } from "../protocol/payload/payload.ts";
import type { Session } from "../session/session-folder.ts";
import type { LostSettings } from "../trust/store/last-known-guards.ts";
import type { TrustStore } from "../trust/store/trust-store.ts";
import type { UserPaths } from "./user-paths.ts";

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

/** What the administrator decided for everybody on this machine, as it is in this call. */
export interface MachineScope extends MachineFolder {
  /** The cache of parsed settings, which only root can write; null without a cache. */
  readonly cacheDir: string | null;
  /** Null if there is no settings file. */
  readonly settingsFile: CompiledFile | null;
  /** True if this call had to parse the settings, because root's cache does not hold them. */
  readonly isParsed: boolean;
}

/** What a call takes from the process that it runs in. */
export interface CallContext {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Where hooks run when the payload names no folder. */
  readonly cwd: string;
  readonly userId: number;
  readonly nowMs: number;
  readonly elapsedMs: () => number;
  /** When the call began, by the clock of `elapsedMs`; its deadline starts here. */
  readonly beganMs: number;
  readonly runId: string;
  /** How many hookctl processes are above this one. */
  readonly depth: number;
  readonly interrupt: Interrupt;
  /** Hooks that are functions of the host program; null on the command line. */
  readonly functions: FunctionHooks | null;
  /** Loads the built-in guards, which are an optional part of the program. */
  readonly loadGuards: () => Promise<Guards>;
}

/** The built-in guards. */
export interface Guards {
  /** Judges a payload. A fault in a guard is the result of a failed hook, so that the other hooks still run. */
  readonly judge: (hook: Hook, payload: Payload, context: RunContext) => Promise<HookResult>;
  /** The files on which hookctl depends in this call. */
  readonly ownPaths: (context: RunContext) => readonly string[];
  /** The settings files of agents, relative to a project. */
  readonly agentFiles: readonly string[];
}

/** Hooks that are functions. The library declares and invokes them. */
export interface FunctionHooks {
  readonly hooksFor: (event: EventName | null, settings: Settings) => readonly Hook[];
  readonly invoke: (
    hook: Hook,
    payload: Payload,
    session: Session,
    context: Pick<InvokeContext, "deadline" | "interrupt" | "isoTime">,
  ) => Promise<HookResult>;
}

/** Which hooks the caller selected, and what the call may do. */
export interface CallOptions {
  /** Folders instead of the default folders; their hooks need approval like those of a project. */
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

/** The deadline of the call, measured from the start of the process. */
export const deadlineOf = ({ settings, elapsedMs, beganMs }: RunContext): Deadline => ({
  atMs: beganMs + (settings.deadlineMs ?? Number.POSITIVE_INFINITY),
  elapsedMs,
});

/** The deadline of one hook. The user's limits do not apply to the machine's hooks. */
export function deadlineFor(hook: Pick<Hook, "source">, context: RunContext): Deadline {
  if (hook.source !== "machine") return deadlineOf(context);
  const { settings, elapsedMs, beganMs } = context;
  return { atMs: beganMs + (settings.machine.deadlineMs ?? Number.POSITIVE_INFINITY), elapsedMs };
}

/** How long a run may wait for the lock of a shared file: not beyond its deadline, but at least half a second. */
export const lockTimeoutMs = (context: RunContext): number =>
  Math.min(LOCK_TIMEOUT_MS, Math.max(LEAST_MS, remainingMs(deadlineOf(context))));
const LEAST_MS = 500;

/** How deeply hooks may call hookctl again. */
export const DEPTH_LIMIT = 3;

/** The depth in HOOKCTL_DEPTH; 0 if it is not a small number. */
export function callDepth(env: Readonly<Record<string, string | undefined>>): number {
  const text = env.HOOKCTL_DEPTH ?? "";
  return text !== "" && /^\d{1,6}$/.test(text) ? Number(text) : 0;
}

/** True if `HOOKCTL_NO_HOOKS` is set to a true value: no hook is started and every call is allowed. */
export const areHooksDisabled = (env: Readonly<Record<string, string | undefined>>): boolean =>
  ["1", "true", "yes", "on"].includes(env.HOOKCTL_NO_HOOKS?.toLowerCase() ?? "");

/** True if `--no-hooks` or its variable in the environment is set. */
export const hooksAreOff = (options: { readonly noHooks: boolean }, { env }: Pick<EngineHost, "env">): boolean =>
  options.noHooks || areHooksDisabled(env);

/** Options of one call, from the command line or from a program. */
export interface EngineOptions {
  /** `-C`; null: the working directory. */
  readonly directory: string | null;
  readonly hooksDirs: readonly string[];
  /** A settings file that replaces the user's; null: the default file. */
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
export interface EngineHost
  extends Pick<CallContext, "env" | "cwd" | "userId" | "elapsedMs" | "interrupt" | "loadGuards"> {
  readonly nowMs: () => number;
  /** When the call began, by the clock of `elapsedMs`. A command began with its process, because the caller's timeout did. */
  readonly beganMs: number;
  readonly random: () => number;
  readonly functions?: FunctionHooks;
}

/**
 * Computes a value once for all runs with the same values of these fields, such as the requests of a server that share a
 * preparation. The function can read only these fields.
 */
export function oncePerPreparation<Field extends keyof RunContext, T>(
  fields: readonly (Field | "scopes")[],
  make: (context: Pick<RunContext, Field | "scopes">) => T,
): (context: Pick<RunContext, Field | "scopes">) => T {
  const made = new WeakMap<object, { readonly from: readonly unknown[]; readonly value: T }>();
  return (context) => {
    const known = made.get(context.scopes);
    if (known !== undefined && fields.every((field, at) => context[field] === known.from[at])) return known.value;
    const value = make(context);
    made.set(context.scopes, { from: fields.map((field) => context[field]), value });
    return value;
  };
}
