import type { HookSettings } from "../../config/merge-settings.ts";
import { boundedOverride, isClosed } from "../../config/overrides.ts";
import type { Scopes } from "../../discover/scopes.ts";
import type { EventName } from "../../protocol/event.ts";
import { appliesTo, type Candidate, type Hook, isMachine } from "../../protocol/hook.ts";
import { globMatches } from "../../protocol/match.ts";
import type { OffReason } from "../../protocol/pause.ts";
import { nearest } from "../../protocol/text/nearest.ts";
import type { Warning } from "../../protocol/warning.ts";
import type { PausedHooks } from "../pauses.ts";
import type { EngineHost, RunContext } from "../run-context.ts";
import type { UserPaths } from "../user-paths.ts";

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
