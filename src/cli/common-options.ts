import { areHooksDisabled, type EngineOptions } from "../engine/run-context.ts";
import type { Host } from "../host.ts";
import { type EventName, findEvent, type NamedEvent, nearestEvent } from "../protocol/event.ts";
import { SOURCES, type Source } from "../protocol/hook.ts";
import { nearest } from "../protocol/nearest.ts";
import type { UsageProblem } from "../protocol/problem.ts";
import { fail, ok, type Result } from "../protocol/result.ts";
import { parseDuration } from "../protocol/units.ts";
import type { CommandLine, OptionValue } from "./option-table.ts";

/** The options that every verb knows, understood. Null: not given. */
export interface CommonOptions extends EngineOptions {
  readonly noHooks: boolean;
  readonly json: boolean;
  readonly quiet: boolean;
  readonly verbosity: number;
  readonly color: "auto" | "always" | "never";
}

const COLORS = ["auto", "always", "never"] as const;

export function readCommonOptions({ options }: CommandLine): Result<CommonOptions, UsageProblem> {
  const timeout = durationOption(options, "--timeout");
  if (!timeout.ok) return timeout;
  const deadline = durationOption(options, "--deadline");
  if (!deadline.ok) return deadline;
  const color = choiceOption(options, "--color", COLORS);
  if (!color.ok) return color;
  return ok({
    noHooks: options["--no-hooks"] === true,
    directory: textOption(options, "--directory"),
    hooksDirs: listOption(options, "--hooks-dir"),
    config: textOption(options, "--config"),
    only: textOption(options, "--hook"),
    skip: listOption(options, "--skip"),
    timeoutMs: timeout.value,
    deadlineMs: deadline.value,
    trust: options["--trust"] === true,
    useCache: options["--no-cache"] !== true,
    json: options["--json"] === true,
    quiet: options["--quiet"] === true,
    verbosity: typeof options["--verbose"] === "number" ? options["--verbose"] : 0,
    color: color.value ?? "auto",
  });
}

type RawFlags = Readonly<Record<string, OptionValue>>;

export const textOption = (options: RawFlags, name: string): string | null => {
  const value = options[name];
  return typeof value === "string" ? value : null;
};

export const listOption = (options: RawFlags, name: string): readonly string[] => {
  const value = options[name];
  return Array.isArray(value) ? value : [];
};

export function durationOption(options: RawFlags, name: string): Result<number | null, UsageProblem> {
  const text = textOption(options, name);
  if (text === null) return ok(null);
  const read = parseDuration(text);
  return read.ok ? read : fail({ code: "USAGE_BAD_VALUE", flag: name, value: text, detail: read.error });
}

export function choiceOption<T extends string>(
  options: RawFlags,
  name: string,
  choices: readonly T[],
): Result<T | null, UsageProblem> {
  const text = textOption(options, name);
  if (text === null) return ok(null);
  const found = choices.find((choice) => choice === text);
  if (found !== undefined) return ok(found);
  const near = nearest(text, choices);
  const detail = `it is one of ${choices.join(", ")}${near === null ? "" : `; did you mean ${near}?`}`;
  return fail({ code: "USAGE_BAD_VALUE", flag: name, value: text, detail });
}

export const sourceOption = (options: RawFlags): Result<Source | null, UsageProblem> =>
  choiceOption(options, "--source", SOURCES);

export function readNamedEvent(name: string): Result<NamedEvent, UsageProblem> {
  const found = findEvent(name);
  return found === null ? fail({ code: "USAGE_UNKNOWN_EVENT", name, nearest: nearestEvent(name) }) : ok(found);
}

export function readEvent(name: string): Result<EventName, UsageProblem> {
  const named = readNamedEvent(name);
  return named.ok ? ok(named.value.event) : named;
}

/** `--no-hooks`, or its variable in the environment. */
export const hooksAreOff = (options: CommonOptions, host: Host): boolean =>
  options.noHooks || areHooksDisabled(host.env);
