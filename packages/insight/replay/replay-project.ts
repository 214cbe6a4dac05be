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
import {
  envelopeExtras,
  type PrepareStart,
  preparedStart,
  withMcpServers,
} from "../../../src/invoke/invoke-executable.ts";
import { invokeHook, whyNotInvoked } from "../../../src/invoke/invoke-hook.ts";
import type { EventName } from "../../../src/protocol/event.ts";
import { type Hook, hasUnknownEvents, withRefusal } from "../../../src/protocol/hook.ts";
import type { Payload } from "../../../src/protocol/payload/payload.ts";
import type { Problem } from "../../../src/protocol/problem.ts";
import { explain } from "../../../src/protocol/problem-messages/explain.ts";
import { ok, type Result } from "../../../src/protocol/result.ts";
import type { Verdict } from "../../../src/protocol/verdict.ts";
import { type GuardPlace, guardPlace, movedGuardPlace } from "../../guard-hooks/guard-place.ts";
import { invokeGuard } from "../../guard-hooks/invoke-guard.ts";

/** A call that happened before and was recorded. */
export interface RecordedCall {
  /** The id of its run, or its position in a session file. */
  readonly id: string;
  /** ISO 8601; null if no time was recorded. */
  readonly time: string | null;
  /** The folder in which its agent worked. It need not exist any more. */
  readonly cwd: string;
  readonly event: EventName;
  /** The payload in hookctl's format, as raw JSON. */
  readonly payload: string;
  /**
   * The folders of the other machine on which the call was made: the hooks of the caller's project judge it. For a call
   * of this machine `madeIn` is null, and the hooks of the call's project judge it.
   */
  readonly madeIn: { readonly home: string; readonly project: string } | null;
}

/** The verdict of the current hooks about a recorded call. */
export interface Judgement {
  readonly verdict: Verdict;
  /** True if a call that differs in nothing but ids and times would be judged the same. */
  readonly isRepeatable: boolean;
  /** True if no current hook handles the call, and the built-in guards have judged it with their defaults. */
  readonly isByDefaults: boolean;
}

/** A hook that handles recorded calls and did not judge them. */
export interface LeftOutHook {
  readonly name: string;
  readonly path: string;
  readonly why: string;
}

export interface ReplayOptions {
  /** `directory`: the project whose hooks judge calls of other machines. */
  readonly engine: EngineOptions;
  /**
   * Built-in guards that judge: the enabled ones, all, or all where no hook handles the call. Disabled guards use
   * default settings.
   */
  readonly guards: "on" | "all" | "all-without-hooks";
}

interface JudgedPayload extends Judgement {
  readonly leftOut: readonly LeftOutHook[];
}

type JudgePayload = (payload: Payload, call: RecordedCall) => Promise<JudgedPayload>;

/** Returns a function that judges by the hooks of one folder. */
export async function openReplayProject(
  { engine, guards }: ReplayOptions,
  host: EngineHost,
): Promise<Result<JudgePayload, Problem>> {
  // Hooks are not started to be identified: their events come from the approval or the cache.
  const created = await createCheckedContext(engine, host, false);
  if (!created.ok) return created;
  const { context: found } = created.value;
  // Only approved programs start, even with `--trust`.
  const context: RunContext = { ...found, options: { ...found.options, isTrustedForOneCall: false } };
  const withAll = { ...context, settings: { ...context.settings, guards: allGuards(context.settings.guards) } };
  const asSet = projectJudge(guards === "all" ? withAll : context, engine.trust);
  const byDefaults = lazy(() => projectJudge(withAll, engine.trust));
  return ok(async (payload, call) => {
    const isByDefaults = guards === "all-without-hooks" && !(await asSet.handles(payload.event));
    const judged = await (isByDefaults ? byDefaults() : asSet).judge(payload, call);
    return { ...judged, isByDefaults };
  });
}

interface ProjectJudge {
  /** True if a hook judges calls of the event, or would if it could be started. */
  readonly handles: (event: EventName) => Promise<boolean>;
  readonly judge: (payload: Payload, call: RecordedCall) => Promise<Omit<JudgedPayload, "isByDefaults">>;
}

function projectJudge(context: RunContext, areUnapprovedRulesJudging: boolean): ProjectJudge {
  const found = findAllCandidates(context);
  // Resolved once for an event, as a run resolves them.
  const hooksOf = memoize(async (event: EventName) => {
    const hookSet = await resolveHooks(found, context, event);
    return sortedOut(hookSet, orderedHooks(event, hookSet, context), { context, areUnapprovedRulesJudging });
  });
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
      const prepare: PrepareStart = (hook, current, folder) =>
        preparedStart(
          recheckTrust(hook),
          () => closedSandboxFor(hook, startPlace(folder, context), context),
          () => environmentOf(hook, current),
        );
      const invokeContext = {
        prepare,
        interrupt: context.interrupt,
        cwd: folderFor(call.cwd),
        isoTime: call.time ?? new Date(context.nowMs).toISOString(),
        deadline: { atMs: Number.POSITIVE_INFINITY, elapsedMs: context.elapsedMs },
      };
      const membersFor = membersInDialect((current) => envelopeExtras(current, invokeContext.isoTime));
      // The files that a bridge has added to a payload follow each change of it.
      const sent: Payload = payload.members.has("tool_files") ? { ...payload, hasToolFiles: true } : payload;
      const state = await withMcpServers((servers) =>
        runChain(hooks, sent, {
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
  const isThere = memoize(isFolder);
  const moved = memoize((folders: string) => movedGuardPlace(context, JSON.parse(folders)));
  return ({ madeIn, cwd }) => {
    if (madeIn === null && isThere(cwd)) return own();
    // A missing folder is its own project.
    return moved(JSON.stringify(madeIn ?? { home: own().home, project: cwd }));
  };
}

interface ReplaySettings {
  readonly context: RunContext;
  readonly areUnapprovedRulesJudging: boolean;
}

/** The hooks that judge recorded calls of one event, in run order, and the others. */
async function sortedOut(
  { recheckTrust }: HookSet,
  ordered: readonly Hook[],
  { context, areUnapprovedRulesJudging }: ReplaySettings,
) {
  const all = areUnapprovedRulesJudging ? ordered.map(judgingUnapproved) : ordered;
  const leftOut = (await Promise.all(all.map((hook) => leftOutHook(hook, context)))).filter((hook) => hook !== null);
  const paths = new Set(leftOut.map(({ path }) => path));
  const inProcess = new Set(all.filter(isRuleOrGuard).map(({ path }) => path));
  const hooks = all.filter(({ path }) => !paths.has(path));
  return {
    hooks,
    leftOut,
    /** True if they read only the call's content: no ids, no times, no state. */
    isRepeatable: hooks.every(seesOnlyTheCall),
    /** Called right before a program is started. */
    recheckTrust: ((hook) => (inProcess.has(hook.path) ? null : recheckTrust(hook))) satisfies HookSet["recheckTrust"],
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
  return sandbox.value === null ? { name, path, why: "no sandbox for it" } : null;
}

/** Fields that are equal in equal calls. */
const FIELDS_OF_CALL = ["event", "cwd", "invoked_by", "tool_name", "tool_kind", "tool_input", "tool_files"];

const seesOnlyTheCall = (hook: Hook): boolean =>
  isRuleOrGuard(hook) &&
  Object.keys(hook.match ?? {}).every((path) => FIELDS_OF_CALL.includes(path.split(".")[0] ?? ""));

const isRuleOrGuard = ({ kind }: Hook): boolean => kind === "guard" || kind === "rule";
