import type { Settings } from "../../config/merge-settings.ts";
import { overridesFor } from "../../config/overrides.ts";
import type { ProcessSandbox } from "../../process/process-request.ts";
import { schemeRow } from "../../protocol/entry.ts";
import type { EventName } from "../../protocol/event.ts";
import { type Candidate, type Hook, isFromProject } from "../../protocol/hook.ts";
import type { HookProblem } from "../../protocol/problem.ts";
import { ok, type Result } from "../../protocol/result.ts";
import { type HookSandbox, type SandboxChoice, sandboxChoice, stricterChoice } from "../../protocol/sandbox.ts";
import type { TrustStatus } from "../../trust/decide/decide-trust.ts";
import type { RunContext } from "../run-context.ts";

/** A start in a run: relative paths belong to the project of the call. */
export const startPlace = (cwd: string, { scopes }: Pick<RunContext, "scopes">): StartPlace => ({
  cwd,
  project: scopes.projectDir,
});

/** True if a process is started for the hook. */
const isProcess = ({ entry }: SandboxedHook): boolean =>
  entry === null || !["rule", "template_push"].includes(schemeRow(entry.scheme).kind);

const wantsSandbox = (hook: SandboxedHook, settings: Settings): boolean =>
  isProcess(hook) && wantedSandbox(hook, settings).mode !== "off";

/** Refuses a hook that requires a sandbox where there is none: to ask the hook for its events would start it, too. */
export const statusInSandbox = (status: TrustStatus, sandbox: SandboxStatus | undefined): TrustStatus =>
  status.problem !== null || sandbox === undefined ? status : { ...status, problem: sandbox.refusal };

/** Finds the sandboxes of the hooks of an event; null: of any event. A call without a hook that wants one loads no code for it. */
export async function openSandboxes(
  candidates: readonly Candidate[],
  context: RunContext,
  event: EventName | null,
): Promise<Sandboxes> {
  const isNamed = namesSandbox(context.settings);
  const mayWant = ({ entry }: Candidate) =>
    entry === null ? isNamed : event === null || entry.event === event || entry.event === "on_error";
  const wanting = candidates.filter((one) => mayWant(one) && wantsSandbox(one, context.settings));
  if (wanting.length === 0) return new Map();
  return (await import("../../../packages/sandbox/sandboxed-hooks.ts")).sandboxesOf(wanting, context);
}

/** What locks the hook in at one start; null: nothing. A problem prevents the start. */
export async function sandboxFor(
  hook: SandboxedHook,
  place: StartPlace,
  context: RunContext,
): Promise<Result<ProcessSandbox | null, HookProblem>> {
  const wanted = wantedSandbox(hook, context.settings);
  if (wanted.mode === "off" || !isProcess(hook)) return { ok: true, value: null };
  return (await import("../../../packages/sandbox/sandboxed-hooks.ts")).processSandbox(
    { hook, wanted, place, mayWrite: true },
    context,
  );
}

/** The same for a start that must not change anything: without network and grants, whatever the settings say. */
export async function closedSandboxFor(
  hook: SandboxedHook,
  place: StartPlace,
  context: RunContext,
): Promise<Result<ProcessSandbox | null, HookProblem>> {
  if (!isProcess(hook)) return ok(null);
  const wanted = { ...sandboxChoice("require"), isProjects: false };
  return (await import("../../../packages/sandbox/sandboxed-hooks.ts")).processSandbox(
    { hook, wanted, place, mayWrite: false },
    context,
  );
}

export type SandboxedHook = Pick<Candidate | Hook, "name" | "baseName" | "path" | "source" | "projectDir" | "entry">;

/** What the settings want for a hook. */
export interface WantedSandbox extends SandboxChoice {
  /** True if the project's author wrote the grants. */
  readonly isProjects: boolean;
}

/** The sandbox of a hook on this machine. */
export interface SandboxStatus {
  readonly sandbox: HookSandbox;
  /** Why the hook may not start: it requires a sandbox and there is none. Null if it may. */
  readonly refusal: HookProblem | null;
}

/** The hooks whose settings want a sandbox, by path. */
export type Sandboxes = ReadonlyMap<string, SandboxStatus>;

/** Where one start happens. */
export interface StartPlace {
  readonly cwd: string;
  /** The folder to which relative paths in `write_paths` belong. */
  readonly project: string;
}

/**
 * What the settings want. Reyn's shell schemes need a sandbox unless the entry, which is approved with its text, or the
 * user says otherwise. An override in a project file is not approved, so it can only make the sandbox stricter.
 */
export function wantedSandbox(hook: SandboxedHook, settings: Settings): WantedSandbox {
  const { entry } = hook;
  if (entry === null && !namesSandbox(settings)) return OFF;
  const isDefault = entry !== null && schemeRow(entry.scheme).requiresSandbox;
  const own = sandboxChoice(entry?.sandbox ?? (isDefault ? "require" : "off"));
  const { override, above } = overridesFor(hook, settings);
  if (above.sandbox !== undefined) return { ...sandboxChoice(above.sandbox), isProjects: false };
  const isProjects = isFromProject(hook);
  if (override.sandbox === undefined) return { ...own, isProjects };
  return { ...stricterChoice(own, sandboxChoice(override.sandbox)), isProjects };
}

const OFF: WantedSandbox = { ...sandboxChoice("off"), isProjects: false };

/** True if an override of any hook names a sandbox; most settings have none. */
const namesSandbox = ({ machine, user, projects }: Settings): boolean =>
  [machine, user, ...projects].some(({ overrides }) =>
    Object.values(overrides).some(({ sandbox }) => sandbox !== undefined),
  );
