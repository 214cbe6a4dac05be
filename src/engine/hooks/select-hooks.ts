import { orderHooks, type RunOrder } from "../../chain/order.ts";
import { DEFAULT_TIMEOUT_MS, type HookSettings, type Settings } from "../../config/merge-settings.ts";
import { overrideAboveProjects } from "../../config/overrides.ts";
import { MACHINE_FOLDER } from "../../fs/machine-folder.ts";
import { EVENT_ROWS, type EventName } from "../../protocol/event.ts";
import {
  DEFAULT_PRIORITY,
  disabled,
  type Hook,
  hasUnknownEvents,
  isFromProject,
  isRefused,
  makeHook,
  RANK,
  SKIP_REASONS,
  type SkippedFile,
  type Source,
} from "../../protocol/hook.ts";
import { globMatches } from "../../protocol/match.ts";
import type { HookProblem, UsageProblem } from "../../protocol/problem.ts";
import { unknownHook } from "../../protocol/text/nearest.ts";
import type { EngineOptions } from "../run-context.ts";
import { isKeptOn, type OffContext, offReason, type PausedHook } from "./paused-hooks.ts";
import type { HookSet } from "./resolve-hooks.ts";

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

/** Adds a failing placeholder for each required hook that is missing. What the machine requires, only the machine has. */
export function addMissingRequired(
  hooks: readonly Hook[],
  { machine, user }: Pick<Settings, "machine" | "user">,
): readonly Hook[] {
  const missingIn = ({ overrides }: HookSettings, isEnough: (hook: Hook) => boolean): readonly string[] =>
    Object.entries(overrides)
      .filter(([, override]) => override.required === true)
      .map(([name]) => name)
      .filter((name) => !hooks.some((hook) => (hook.name === name || plainName(hook) === name) && isEnough(hook)));
  return [
    ...hooks,
    ...missingIn(user, canSatisfy).map((name) => missingHook(name, "~/.kodelet", "config")),
    ...missingIn(machine, (hook) => hook.source === "machine").map((name) =>
      missingHook(name, MACHINE_FOLDER, "machine"),
    ),
  ];
}

/** A project hook that handles no event that can be blocked does not satisfy a requirement. */
const canSatisfy = (hook: Hook): boolean =>
  !isFromProject(hook) || hasUnknownEvents(hook) || hook.events.some((event) => EVENT_ROWS[event].onBlock === "deny");

function missingHook(name: string, folder: string, source: Source): Hook {
  const path = `${folder}/hooks/${name}`;
  return placeholderHook({ name, path, source, trust: "trusted" }, { code: "HOOK_MISSING", hook: name, path });
}

/** Stands in the chain for hooks that cannot be invoked: it fails, so that a guard that cannot decide is not skipped. */
export function placeholderHook(
  known: Pick<Hook, "name" | "path" | "source" | "trust"> & Partial<Omit<Hook, "state" | "refusal">>,
  refusal: HookProblem | null,
): Hook {
  return makeHook({
    kind: "executable",
    projectDir: null,
    rank: RANK.missing,
    events: [],
    mentionedEvents: [],
    dialect: "kodelet",
    priority: DEFAULT_PRIORITY,
    failOpen: false,
    observe: false,
    timeoutMs: DEFAULT_TIMEOUT_MS,
    match: null,
    outputLimit: null,
    background: false,
    readsEnv: false,
    disabledReason: null,
    isWeakenedBySettings: false,
    refusal,
    entry: null,
    hash: null,
    shadows: null,
    ...known,
  });
}

/** The problem of a `--hook` that matches no hook; without it nothing would run, silently. */
export function unknownHookOption(
  { only }: Pick<EngineOptions, "only">,
  { names, hooks }: HookSet,
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
export function listHooks(hookSet: HookSet, filter: ListFilter, order: RunOrder): readonly Hook[] {
  const { event, source } = filter;
  const shown = hookSet.hooks
    .filter((hook) => hook.refusal === null || isRefused(hook) || !hasUnknownEvents(hook))
    .filter((hook) => source === null || hook.source === source)
    .filter((hook) => event === null || hook.events.includes(event) || hook.mentionedEvents.includes(event));
  return orderHooks(shown, event ?? "before_tool_call", order);
}
