import { orderHooks, type RunOrder } from "../../chain/order.ts";
import type { Settings } from "../../config/merge-settings.ts";
import { overrideAboveProjects } from "../../config/overrides.ts";
import type { EventName } from "../../protocol/event.ts";
import {
  disabled,
  type Hook,
  hasUnknownEvents,
  isFromProject,
  isRefused,
  SKIP_REASONS,
  type SkippedFile,
  type Source,
} from "../../protocol/hook.ts";
import { globMatches } from "../../protocol/match.ts";
import type { UsageProblem } from "../../protocol/problem.ts";
import { unknownHook } from "../../protocol/text/nearest.ts";
import type { EngineOptions } from "../run-context.ts";
import { isKeptOn, type OffContext, offReason, type PausedHook } from "./paused-hooks.ts";

/**
 * A project hook hides a user hook of the same name only if it may run, and never one that is fail-closed or required:
 * a repository must not replace a guard with a file of its name. The first folder of `--hooks-dir` hides later ones.
 */
export function hideShadowed(
  all: readonly Hook[],
  settings: Settings,
): { hooks: readonly Hook[]; skipped: readonly SkippedFile[] } {
  // Later folders must not replace a hook found earlier.
  const hiding = new Map(
    all
      .filter(canHide)
      .reverse()
      .map((hook) => [plainName(hook), hook]),
  );
  if (hiding.size === 0) return { hooks: all, skipped: [] };
  const isHidden = (hook: Hook): boolean => {
    const hider = hook.entry === null ? hiding.get(plainName(hook)) : undefined;
    const isKept =
      hook.source === "machine" || !hook.failOpen || overrideAboveProjects(hook, settings).required === true;
    if (hider === undefined || isKept) return false;
    return hook.source === "explicit" ? hider.rank < hook.rank : !isFromProject(hook);
  };
  const lost = all.filter(isHidden);
  const hidden = new Set(lost);
  const firstLost = new Map(lost.toReversed().map((hook) => [plainName(hook), hook.path]));
  return {
    hooks: all
      .filter((hook) => !hidden.has(hook))
      .map((hook) =>
        hiding.get(plainName(hook)) === hook ? { ...hook, shadows: firstLost.get(plainName(hook)) ?? null } : hook,
      ),
    skipped: lost.map((hook) => ({
      name: hook.name,
      path: hook.path,
      reason: "shadowed",
      detail: SKIP_REASONS.shadowed,
    })),
  };
}

/** The name without the project folder in front of it. */
export const plainName = ({ name, baseName }: Pick<Hook, "name" | "baseName">): string => baseName ?? name;

const canHide = (hook: Hook): boolean => hook.entry === null && isFromProject(hook) && hook.state === "ready";

/** Keeps the hooks of `--hook` and disables those of `--skip` and those that are off for a while. */
export function selectHooks(hooks: readonly Hook[], context: SelectContext): SelectedHooks {
  const { only } = context.options;
  const chosen = hooks.filter((hook) => only === null || hook.source === "machine" || globMatches(only, hook.name));
  const kept = chosen.map((hook) => (isSkipped(hook, context) ? disabled(hook, "skipped by --skip") : hook));
  const paused = kept.flatMap((hook): readonly PausedHook[] => {
    const reason = hook.disabledReason === null ? offReason(hook, context) : null;
    return reason === null ? [] : [{ hook, reason }];
  });
  if (paused.length === 0) return { hooks: kept, paused };
  const reasons = new Map(paused.map(({ hook, reason }) => [hook, reason.reason]));
  const hooksWithReasons = kept.map((hook) => {
    const reason = reasons.get(hook);
    return reason === undefined ? hook : disabled(hook, reason);
  });
  return { hooks: hooksWithReasons, paused };
}

type SelectContext = OffContext & { readonly options: Pick<EngineOptions, "only"> };

interface SelectedHooks {
  readonly hooks: readonly Hook[];
  /** Off for a while, and not by the command line. */
  readonly paused: readonly PausedHook[];
}

const isSkipped = (hook: Hook, { options, settings }: OffContext): boolean =>
  options.skip.some((name) => globMatches(name, hook.name)) && !isKeptOn(hook, settings);

/** The problem of a `--hook` that matches no hook; without it nothing would run, silently. */
export function unknownHookOption(
  { only }: Pick<EngineOptions, "only">,
  { names, hooks }: { readonly names: readonly string[]; readonly hooks: readonly Hook[] },
): UsageProblem | null {
  return only === null ||
    names.length === 0 ||
    hooks.some((hook) => hook.source !== "machine" || globMatches(only, hook.name))
    ? null
    : unknownHook(only, names);
}

/** Which hooks a list shows; null: all. */
export interface ListFilter {
  readonly event: EventName | null;
  readonly source: Source | null;
}

/** The hooks of a list in run order. A list for all events uses the order of `before_tool_call`. */
export function listHooks(
  { hooks }: { readonly hooks: readonly Hook[] },
  { event, source }: ListFilter,
  order: RunOrder,
): readonly Hook[] {
  const shown = hooks
    .filter((hook) => hook.refusal === null || isRefused(hook) || !hasUnknownEvents(hook))
    .filter((hook) => source === null || hook.source === source)
    .filter((hook) => event === null || hook.events.includes(event) || hook.mentionedEvents.includes(event));
  return orderHooks(shown, event ?? "before_tool_call", order);
}
