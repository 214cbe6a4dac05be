import { runChain, verdictOf } from "../../../src/chain/advance.ts";
import { allGuards } from "../../../src/config/merge-settings.ts";
import { membersInDialect } from "../../../src/dialects/dialects.ts";
import * as checks from "../../../src/engine/approval-checks.ts";
import { createCheckedContext } from "../../../src/engine/create-run-context.ts";
import { hookEnvironments } from "../../../src/engine/hook-environment.ts";
import { findAllCandidates } from "../../../src/engine/hooks/candidates.ts";
import { type HookSet, resolveHooks } from "../../../src/engine/hooks/resolve-hooks.ts";
import { closedSandboxFor, startPlace } from "../../../src/engine/hooks/sandboxes.ts";
import { lazy, memoize } from "../../../src/engine/memoize.ts";
import { orderedHooks } from "../../../src/engine/run/run-event.ts";
import type { EngineHost, EngineOptions, RunContext } from "../../../src/engine/run-context.ts";
import { isFolder, workingFolder } from "../../../src/fs/paths.ts";
import { envelopeExtras, type PrepareStart, withMcpServers } from "../../../src/invoke/invoke-executable.ts";
import { invokeHook, whyNotInvoked } from "../../../src/invoke/invoke-hook.ts";
import type { EventName } from "../../../src/protocol/event.ts";
import { type Hook, hasUnknownEvents, withRefusal } from "../../../src/protocol/hook.ts";
import type { Payload } from "../../../src/protocol/payload/payload.ts";
import type { Problem } from "../../../src/protocol/problem.ts";
import { explain } from "../../../src/protocol/problem-messages/explain.ts";
import { fail, ok, type Result } from "../../../src/protocol/result.ts";
import type { Warning } from "../../../src/protocol/warning.ts";
import { type GuardPlace, guardPlace, movedGuardPlace } from "../../guard-hooks/guard-place.ts";
import { invokeGuard } from "../../guard-hooks/invoke-guard.ts";
import type { Judgement, LeftOutHook, RecordedCall } from "./recorded-call.ts";

export interface ReplayOptions {
  /** `directory`: the project whose hooks judge calls of other machines. */
  readonly engine: EngineOptions;
  /**
   * Built-in guards that judge: the enabled ones, all, or all where no hook handles the call. Disabled guards use
   * default settings.
   */
  readonly guards: "on" | "all" | "all-without-hooks";
}

/** The hooks that apply in one folder. */
interface ReplayProject {
  readonly warnings: readonly Warning[];
  readonly judge: (payload: Payload, call: RecordedCall) => Promise<JudgedPayload>;
}

interface JudgedPayload extends Judgement {
  readonly leftOut: readonly LeftOutHook[];
}

export async function openReplayProject(
  { engine, guards }: ReplayOptions,
  host: EngineHost,
): Promise<Result<ReplayProject, Problem>> {
  // Hooks are not started to be identified: their events come from the approval or the cache.
  const created = await createCheckedContext(engine, host, false);
  if (!created.ok) return created;
  const { context: found, loaded } = created.value;
  const context: RunContext = {
    ...found,
    // Only approved programs start, even with `--trust`.
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
  const environmentOf = hookEnvironments(context, checks);
  return {
    handles: async (event) => {
      const { hooks, leftOut } = await hooksOf(event);
      return hooks.length + leftOut.length > 0;
    },
    judge: async (payload, call) => {
      const { hooks, leftOut, recheckTrust, isRepeatable } = await hooksOf(payload.event);
      const prepare: PrepareStart = async (hook, current, folder) => {
        const refusal = recheckTrust(hook);
        if (refusal !== null) return fail(refusal);
        const sandbox = await closedSandboxFor(hook, startPlace(folder, context), context);
        return sandbox.ok ? ok({ env: environmentOf(hook, current), sandbox: sandbox.value }) : sandbox;
      };
      const invokeContext = {
        prepare,
        interrupt: context.interrupt,
        cwd: folderFor(call.cwd),
        isoTime: call.time ?? new Date(context.nowMs).toISOString(),
        deadline: { atMs: Number.POSITIVE_INFINITY, elapsedMs: context.elapsedMs },
      };
      const membersFor = membersInDialect((current) => envelopeExtras(current, invokeContext.isoTime));
      const state = await withMcpServers((servers) =>
        runChain(hooks, withBridgeMark(payload), {
          membersFor,
          invoke: async (hook, current) =>
            hook.kind === "guard"
              ? (whyNotInvoked(hook, invokeContext) ?? invokeGuard(hook, current, placeFor(call)))
              : invokeHook(hook, current, { ...invokeContext, servers }),
        }),
      );
      return { verdict: verdictOf(state), leftOut, isRepeatable };
    },
  };
}

/** The facts for guards. Calls in the same folders share them. */
function guardPlaces(context: RunContext): (call: RecordedCall) => GuardPlace {
  const own = lazy(() => guardPlace(context));
  const moved = new Map<string, GuardPlace>();
  const isThere = memoize(isFolder);
  return ({ madeIn, cwd }) => {
    if (madeIn === null && isThere(cwd)) return own();
    // A missing folder is its own project.
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

/** The hooks that judge recorded calls of one event, in run order, and the others. */
interface ReplayHooks {
  readonly hooks: readonly Hook[];
  readonly leftOut: readonly LeftOutHook[];
  /** True if they read only the call's content: no ids, no times, no state. */
  readonly isRepeatable: boolean;
  /** Called right before a program is started. */
  readonly recheckTrust: HookSet["recheckTrust"];
}

/** Returns the hooks of a project by event. They are resolved once for an event, as a run resolves them. */
function replayHooks(
  context: RunContext,
  areUnapprovedRulesJudging: boolean,
): (event: EventName) => Promise<ReplayHooks> {
  const found = findAllCandidates(context);
  const byEvent = new Map<EventName, Promise<ReplayHooks>>();
  const resolved = async (event: EventName): Promise<ReplayHooks> => {
    const hookSet = await resolveHooks(found, context, event);
    const ordered = orderedHooks(event, hookSet, context);
    const all = areUnapprovedRulesJudging ? ordered.map(judgingUnapproved) : ordered;
    const leftOut = (await Promise.all(all.map((hook) => leftOutHook(hook, context)))).filter((hook) => hook !== null);
    const paths = new Set(leftOut.map(({ path }) => path));
    const hooks = all.filter(({ path }) => !paths.has(path));
    return {
      hooks,
      leftOut,
      isRepeatable: hooks.every(seesOnlyTheCall),
      recheckTrust: (hook) => (isInProcess(all, hook) ? null : hookSet.recheckTrust(hook)),
    };
  };
  return (event) => {
    const known = byEvent.get(event) ?? resolved(event);
    byEvent.set(event, known);
    return known;
  };
}

/** A rule is text that is compared with the call and starts nothing, so an unapproved one can judge a recorded call. */
const judgingUnapproved = (hook: Hook): Hook =>
  hook.kind === "rule" && hook.refusal?.code === "HOOK_REFUSED_UNTRUSTED" ? withRefusal(hook, null) : hook;

/**
 * Why a hook does not judge; null if it does. A refused one would block every call, which is no information about the
 * calls.
 */
async function leftOutHook(hook: Hook, context: RunContext): Promise<LeftOutHook | null> {
  const { name, path, refusal, disabledReason, kind } = hook;
  if (disabledReason !== null) return { name, path, why: disabledReason };
  if (refusal !== null) return { name, path, why: explain(refusal).summary };
  if (isRuleOrGuard(hook)) return null;
  if (hasUnknownEvents(hook)) return { name, path, why: "it has not declared its events yet (hookctl list)" };
  if (kind === "template_push") return { name, path, why: "it decides nothing" };
  const sandbox = await closedSandboxFor(hook, startPlace(context.cwd, context), context);
  if (!sandbox.ok) return { name, path, why: explain(sandbox.error).summary };
  return sandbox.value === null ? { name, path, why: "no sandbox holds it" } : null;
}

/** Fields that are equal in equal calls. */
const FIELDS_OF_CALL = ["event", "cwd", "invoked_by", "tool_name", "tool_kind", "tool_input", "tool_files"];

const seesOnlyTheCall = (hook: Hook): boolean =>
  isRuleOrGuard(hook) &&
  Object.keys(hook.match ?? {}).every((path) => FIELDS_OF_CALL.includes(path.split(".")[0] ?? ""));

const isRuleOrGuard = ({ kind }: Hook): boolean => kind === "guard" || kind === "rule";

const isInProcess = (hooks: readonly Hook[], { path }: Pick<Hook, "path">): boolean =>
  hooks.some((hook) => hook.path === path && isRuleOrGuard(hook));
