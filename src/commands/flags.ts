import type { EngineOptions } from "../engine/create-context.ts";
import { areHooksDisabled } from "../engine/run-context.ts";
import { type EventName, findEvent, type NamedEvent, nearestEvent } from "../protocol/event.ts";
import { SOURCES, type Source } from "../protocol/hook.ts";
import { nearest } from "../protocol/nearest.ts";
import type { UsageProblem } from "../protocol/problem.ts";
import { fail, ok, type Result } from "../protocol/result.ts";
import { readDuration } from "../protocol/units.ts";
import type { World } from "../world.ts";
import type { RawFlag, RawLine } from "./flag-table.ts";

/** The flags that every verb knows, understood. Null: not given. */
export interface Flags extends EngineOptions {
  readonly noHooks: boolean;
  readonly json: boolean;
  readonly quiet: boolean;
  readonly verbosity: number;
  readonly color: "auto" | "always" | "never";
}

const COLORS = ["auto", "always", "never"] as const;

export function readFlags({ flags }: RawLine): Result<Flags, UsageProblem> {
  const timeout = durationFlag(flags, "--timeout");
  if (!timeout.ok) return timeout;
  const deadline = durationFlag(flags, "--deadline");
  if (!deadline.ok) return deadline;
  const color = choiceFlag(flags, "--color", COLORS);
  if (!color.ok) return color;
  return ok({
    noHooks: flags["--no-hooks"] === true,
    directory: textFlag(flags, "--directory"),
    hooksDirs: listFlag(flags, "--hooks-dir"),
    config: textFlag(flags, "--config"),
    only: textFlag(flags, "--hook"),
    skip: listFlag(flags, "--skip"),
    timeoutMs: timeout.value,
    deadlineMs: deadline.value,
    trust: flags["--trust"] === true,
    useCache: flags["--no-cache"] !== true,
    json: flags["--json"] === true,
    quiet: flags["--quiet"] === true,
    verbosity: typeof flags["--verbose"] === "number" ? flags["--verbose"] : 0,
    color: color.value ?? "auto",
  });
}

type RawFlags = Readonly<Record<string, RawFlag>>;

export const textFlag = (flags: RawFlags, name: string): string | null => {
  const value = flags[name];
  return typeof value === "string" ? value : null;
};

export const listFlag = (flags: RawFlags, name: string): readonly string[] => {
  const value = flags[name];
  return Array.isArray(value) ? value : [];
};

export function durationFlag(flags: RawFlags, name: string): Result<number | null, UsageProblem> {
  const text = textFlag(flags, name);
  if (text === null) return ok(null);
  const read = readDuration(text);
  return read.ok ? read : fail({ code: "USAGE_BAD_VALUE", flag: name, value: text, detail: read.error });
}

export function choiceFlag<T extends string>(
  flags: RawFlags,
  name: string,
  choices: readonly T[],
): Result<T | null, UsageProblem> {
  const text = textFlag(flags, name);
  if (text === null) return ok(null);
  const found = choices.find((choice) => choice === text);
  if (found !== undefined) return ok(found);
  const near = nearest(text, choices);
  const detail = `it is one of ${choices.join(", ")}${near === null ? "" : `; did you mean ${near}?`}`;
  return fail({ code: "USAGE_BAD_VALUE", flag: name, value: text, detail });
}

export const sourceFlag = (flags: RawFlags): Result<Source | null, UsageProblem> =>
  choiceFlag(flags, "--source", SOURCES);

export function readNamedEvent(name: string): Result<NamedEvent, UsageProblem> {
  const found = findEvent(name);
  return found === null ? fail({ code: "USAGE_UNKNOWN_EVENT", name, nearest: nearestEvent(name) }) : ok(found);
}

export function readEvent(name: string): Result<EventName, UsageProblem> {
  const named = readNamedEvent(name);
  return named.ok ? ok(named.value.event) : named;
}

/** `--no-hooks`, or its variable in the environment. */
export const isSwitchedOff = (flags: Flags, world: World): boolean => flags.noHooks || areHooksDisabled(world.env);
