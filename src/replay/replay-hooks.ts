import { findAllCandidates } from "../engine/hooks/candidates.ts";
import { type HookSet, resolveHooks } from "../engine/hooks/resolve-hooks.ts";
import { closedSandboxFor, startPlace } from "../engine/hooks/sandboxes.ts";
import { orderedHooks } from "../engine/run/run-event.ts";
import type { RunContext } from "../engine/run-context.ts";
import type { EventName } from "../protocol/event.ts";
import { type Hook, hasUnknownEvents, withRefusal } from "../protocol/hook.ts";
import { explain } from "../protocol/problem-message.ts";
import type { LeftOutHook } from "./recorded-call.ts";

/** The hooks that judge recorded calls of one event, in run order, and those that do not. */
export interface ReplayHooks {
  readonly hooks: readonly Hook[];
  readonly leftOut: readonly LeftOutHook[];
  /** True if they see of a call only what it does: no ids, no times, no state. */
  readonly isRepeatable: boolean;
  /** Called right before a program is started. */
  readonly recheckTrust: HookSet["recheckTrust"];
}

/** Returns the hooks of a project by event. They are resolved once for an event, as a run resolves them. */
export function replayHooks(
  context: RunContext,
  areUnapprovedRulesJudging: boolean,
): (event: EventName) => Promise<ReplayHooks> {
  const found = findAllCandidates(context);
  const byEvent = new Map<EventName, Promise<ReplayHooks>>();
  const resolved = async (event: EventName): Promise<ReplayHooks> => {
    const hookSet = await resolveHooks(found, context, event);
    const ordered = orderedHooks(event, hookSet, context);
    const all = areUnapprovedRulesJudging ? ordered.map(judgingUnapproved) : ordered;
    const looked = await Promise.all(all.map((hook) => leftOutHook(hook, context)));
    const leftOut = looked.flatMap((one) => one ?? []);
    const paths = new Set(leftOut.map(({ path }) => path));
    const hooks = all.filter(({ path }) => !paths.has(path));
    return {
      ...{ hooks, leftOut, isRepeatable: hooks.every(seesOnlyTheCall) },
      recheckTrust: (hook) => (isInProcess(all, hook) ? null : hookSet.recheckTrust(hook)),
    };
  };
  return (event) => {
    const known = byEvent.get(event) ?? resolved(event);
    byEvent.set(event, known);
    return known;
  };
}

/** A rule is text that is compared with the call, so one that nobody has approved can judge a call that is not real. */
const judgingUnapproved = (hook: Hook): Hook =>
  hook.kind === "rule" && hook.refusal?.code === "HOOK_REFUSED_UNTRUSTED" ? withRefusal(hook, null) : hook;

/** Why a hook does not judge; null: it does. A refused one would block every call, which says nothing about them. */
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

/** Fields that are the same for calls that are alike. */
const FIELDS_OF_CALL = ["event", "cwd", "invoked_by", "tool_name", "tool_kind", "tool_input", "tool_files"];

const seesOnlyTheCall = (hook: Hook): boolean =>
  isRuleOrGuard(hook) &&
  Object.keys(hook.match ?? {}).every((path) => FIELDS_OF_CALL.includes(path.split(".")[0] ?? ""));

const isRuleOrGuard = ({ kind }: Hook): boolean => kind === "guard" || kind === "rule";

const isInProcess = (hooks: readonly Hook[], { path }: Pick<Hook, "path">): boolean =>
  hooks.some((hook) => hook.path === path && isRuleOrGuard(hook));
