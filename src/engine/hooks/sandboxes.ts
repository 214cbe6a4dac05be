import type { Settings } from "../../config/merge-settings.ts";
import type { ProcessSandbox } from "../../process/process-request.ts";
import { schemeRow } from "../../protocol/entry.ts";
import type { EventName } from "../../protocol/event.ts";
import type { Candidate } from "../../protocol/hook.ts";
import type { HookProblem } from "../../protocol/problem.ts";
import { ok, type Result } from "../../protocol/result.ts";
import { sandboxChoice } from "../../protocol/sandbox.ts";
import type { TrustStatus } from "../../trust/decide/decide-trust.ts";
import type { RunContext } from "../run-context.ts";
import {
  namesSandbox,
  type SandboxedHook,
  type Sandboxes,
  type SandboxStatus,
  type StartPlace,
  wantedSandbox,
} from "./wanted-sandbox.ts";

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
