import { orderHooks, type RunOrder } from "../../chain/order.ts";
import type { HookSettings, Settings } from "../../config/merge-settings.ts";
import { boundedOverride, isClosed, overrideAboveProjects } from "../../config/overrides.ts";
import type { Scopes } from "../../discover/scopes.ts";
import type { EventName } from "../../protocol/event.ts";
import {
  appliesTo,
  type Candidate,
  disabled,
  type Hook,
  hasUnknownEvents,
  isFromProject,
  isMachine,
  isRefused,
  SKIP_REASONS,
  type SkippedFile,
  type Source,
} from "../../protocol/hook.ts";
import { globMatches } from "../../protocol/match.ts";
import type { OffReason } from "../../protocol/pause.ts";
import type { UsageProblem } from "../../protocol/problem.ts";
import { nearest, unknownHook } from "../../protocol/text/nearest.ts";
import type { Warning } from "../../protocol/warning.ts";
import type { PausedHooks } from "../pauses.ts";
import type { EngineHost, EngineOptions, RunContext } from "../run-context.ts";
import type { UserPaths } from "../user-paths.ts";

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

const NO_PAUSES: PausedHooks = { pauses: new Map(), warnings: [] };

/** Most calls find no file of pauses, and load no code for it. */
export async function findPausedHooks(
  file: UserPaths["pausesFile"],
  { rootDir }: Scopes,
  { userId, nowMs }: EngineHost,
): Promise<PausedHooks> {
  if (file === null) return NO_PAUSES;
  return (await import("../pauses.ts")).pausesInEffect(file, { rootDir, userId, nowMs: nowMs() });
}

/** The names in `HOOKCTL_SKIP`. A bridge ignores them, because a project can set variables of an agent. */
export const skippedByVariable = ({ HOOKCTL_SKIP = "" }: RunContext["env"]): readonly string[] =>
  HOOKCTL_SKIP === "" ? [] : HOOKCTL_SKIP.split(/[,\s]+/).filter((name) => name !== "");

/** The context without what ends by itself, for what lasts: a registration, a test. */
export const withoutPauses = (context: RunContext): RunContext => ({
  ...context,
  pauses: NO_PAUSES.pauses,
  options: { ...context.options, skipByVariable: [] },
});

type NamedHook = Pick<Candidate, "name" | "baseName" | "source">;

/** The part of a call's context that can switch hooks off. */
export interface OffContext extends Pick<RunContext, "pauses"> {
  readonly options: Pick<RunContext["options"], "skip" | "skipByVariable" | "isOff">;
  readonly settings: { readonly machine: Pick<HookSettings, "overrides"> };
}

/** Why a hook does not run for a while; null: it does. */
export function offReason(hook: NamedHook, { options, pauses, settings }: OffContext): OffReason | null {
  const isNothingOff = options.skipByVariable.length === 0 && pauses.size === 0;
  if (isNothingOff || isKeptOn(hook, settings)) return null;
  const isSkipped = options.skipByVariable.some((glob) => globMatches(glob, hook.name));
  if (isSkipped) return { by: "HOOKCTL_SKIP", reason: "off (HOOKCTL_SKIP)" };
  const reason = pauses.get(hook.name);
  return reason === undefined ? null : { by: "hookctl off", reason };
}

export interface PausedHook {
  readonly hook: Hook;
  readonly reason: OffReason;
}

/** Warns of the paused hooks of an event; null: of all. */
export const pausedWarnings = (paused: readonly PausedHook[], event: EventName | null): readonly Warning[] =>
  paused
    .filter(({ hook }) => event === null || appliesTo(hook, event))
    .map(({ hook: { name, path }, reason }) => ({ code: "HOOK_PAUSED", hook: name, path, ...reason }));

/** True if nothing of a user switches the hook off: it is the machine's, or the machine made it fail-closed. */
export const isKeptOn = (hook: NamedHook, { machine }: OffContext["settings"]): boolean =>
  hook.source === "machine" || isClosed(boundedOverride(hook, [machine]));

/** Warns a user who switched hooks off which of them run anyway, and of names that no hook has. */
export function skipWarnings(
  hooks: readonly Hook[],
  { options, settings }: OffContext,
  isList: boolean,
): readonly Warning[] {
  const { skip, skipByVariable, isOff } = options;
  if (!isOff && skip.length + skipByVariable.length === 0) return [];
  const isWanted = ({ name }: Hook): boolean => [...skip, ...skipByVariable].some((glob) => globMatches(glob, name));
  const kept = hooks.filter((hook) => isKeptOn(hook, settings));
  const isTried = (isOff && kept.some(isMachine)) || kept.some(isWanted);
  const names = hooks.map(({ name }) => name);
  return [
    ...unusedSkips(names, skip, "--skip"),
    // A shell sets the variable for every project, so a run does not expect each name to match.
    ...(isList ? unusedSkips(names, skipByVariable, "HOOKCTL_SKIP") : []),
    ...(isTried ? [{ code: "MACHINE_KEPT" } as const] : []),
  ];
}

function unusedSkips(
  names: readonly string[],
  skip: readonly string[],
  by: "--skip" | "HOOKCTL_SKIP",
): readonly Warning[] {
  const unused = skip.filter((glob) => !names.some((name) => globMatches(glob, name)));
  return unused.map((name) => ({ code: "NO_SUCH_SKIP", by, name, nearest: nearest(name, names) }));
}
