import { runChain, verdictOf } from "../chain/advance.ts";
import { allGuards } from "../config/merge-settings.ts";
import { membersInDialect } from "../dialects/dialects.ts";
import { createRunContext } from "../engine/create-run-context.ts";
import { hookEnvironments } from "../engine/hook-environment.ts";
import { closedSandboxFor, startPlace } from "../engine/hooks/sandboxes.ts";
import { lazy, memoize } from "../engine/memoize.ts";
import { guardPlace, movedGuardPlace } from "../engine/run/guard-place.ts";
import type { EngineHost, EngineOptions, RunContext } from "../engine/run-context.ts";
import { isFolder, workingFolder } from "../fs/paths.ts";
import { envelopeExtras, withMcpServers } from "../invoke/invoke-executable.ts";
import type { GuardPlace } from "../invoke/invoke-guard.ts";
import { invokeHook } from "../invoke/invoke-hook.ts";
import type { EventName } from "../protocol/event.ts";
import type { Hook } from "../protocol/hook.ts";
import type { Payload } from "../protocol/payload/payload.ts";
import type { Problem } from "../protocol/problem.ts";
import { fail, ok, type Result } from "../protocol/result.ts";
import type { Verdict } from "../protocol/verdict.ts";
import type { Warning } from "../protocol/warning.ts";
import type { LeftOutHook, RecordedCall } from "./recorded-call.ts";
import { type ReplayHooks, replayHooks } from "./replay-hooks.ts";

export interface ReplayOptions {
  /** `directory`: the project whose hooks judge calls of other machines. */
  readonly engine: EngineOptions;
  /** Which built-in guards judge: those that are on; all; or all where no hook is on. One that is off has its defaults. */
  readonly guards: "on" | "all" | "all-without-hooks";
}

/** The hooks that apply in one folder. */
export interface ReplayProject {
  readonly warnings: readonly Warning[];
  readonly judge: (payload: Payload, call: RecordedCall) => Promise<JudgedPayload>;
}

export interface JudgedPayload extends Pick<ReplayHooks, "isRepeatable"> {
  readonly verdict: Verdict;
  readonly leftOut: readonly LeftOutHook[];
  /** True if no hook of today handles the call, and the built-in guards have judged it with their defaults. */
  readonly isByDefaults: boolean;
}

export async function openReplayProject(
  { engine, guards }: ReplayOptions,
  host: EngineHost,
): Promise<Result<ReplayProject, Problem>> {
  // Nothing may be started to learn what a hook handles: its approval or the cache holds it.
  const created = await createRunContext(engine, host, false);
  if (!created.ok) return created;
  const { context: found, loaded } = created.value;
  const [problem] = loaded.problems;
  if (problem !== undefined) return fail(problem);
  const context: RunContext = {
    ...found,
    // Programs start only if they are approved, whatever the command line says.
    options: { ...found.options, isTrustedForOneCall: false },
  };
  const withAll = { ...context, settings: { ...context.settings, guards: allGuards(context.settings.guards) } };
  const asSet = projectJudge(guards === "all" ? withAll : context, engine.trust);
  const byDefaults = lazy(() => projectJudge(withAll, engine.trust));
  return ok({
    warnings: loaded.warnings,
    judge: async (payload, call) => {
      const isByDefaults = guards === "all-without-hooks" && !(await asSet.handles(payload.event));
      const judged = await (isByDefaults ? byDefaults() : asSet).judge(payload, call);
      return { ...judged, isByDefaults };
    },
  });
}

interface ProjectJudge {
  /** True if a hook judges calls of the event, or would if it could be started. */
  readonly handles: (event: EventName) => Promise<boolean>;
  readonly judge: (payload: Payload, call: RecordedCall) => Promise<Omit<JudgedPayload, "isByDefaults">>;
}

function projectJudge(context: RunContext, areUnapprovedRulesJudging: boolean): ProjectJudge {
  const hooksOf = replayHooks(context, areUnapprovedRulesJudging);
  const placeFor = guardPlaces(context);
  const folderFor = memoize((cwd: string) => workingFolder(cwd, context.cwd));
  const environmentOf = hookEnvironments(context);
  return {
    handles: async (event) => {
      const { hooks, leftOut } = await hooksOf(event);
      return hooks.length + leftOut.length > 0;
    },
    judge: async (payload, call) => {
      const { hooks, leftOut, recheckTrust, isRepeatable } = await hooksOf(payload.event);
      const invokeContext = {
        ...{ environmentOf, recheckTrust, interrupt: context.interrupt, invokeFunction: null },
        cwd: folderFor(call.cwd),
        sandboxOf: (hook: Hook, folder: string) => closedSandboxFor(hook, startPlace(folder, context), context),
        isoTime: call.time ?? new Date(context.nowMs).toISOString(),
        deadline: { atMs: Number.POSITIVE_INFINITY, elapsedMs: context.elapsedMs },
        guardPlace: placeFor(call),
      };
      const membersFor = membersInDialect((current) => envelopeExtras(current, invokeContext.isoTime));
      const state = await withMcpServers((servers) =>
        runChain(hooks, withBridgeMark(payload), {
          membersFor,
          invoke: (hook, current) => invokeHook(hook, current, { ...invokeContext, servers }),
        }),
      );
      return { verdict: verdictOf(state), leftOut, isRepeatable };
    },
  };
}

/** What the guards know of a call. Calls that were made in the same folders share it. */
function guardPlaces(context: RunContext): (call: RecordedCall) => GuardPlace {
  const own = lazy(() => guardPlace(context));
  const moved = new Map<string, GuardPlace>();
  const isThere = memoize(isFolder);
  return ({ madeIn, cwd }) => {
    if (madeIn === null && isThere(cwd)) return own();
    // A folder that is gone is its own project.
    const folders = madeIn ?? { home: own().home, project: cwd };
    const key = JSON.stringify(folders);
    const place = moved.get(key) ?? movedGuardPlace(context, folders);
    moved.set(key, place);
    return place;
  };
}

/** The files that a bridge has added to a payload follow each change of it. */
const withBridgeMark = (payload: Payload): Payload =>
  payload.members.has("tool_files") ? { ...payload, hasToolFiles: true } : payload;
