import type { CommandLine, OptionsOf } from "../../cli/command-table.ts";
import { readNamedEvent } from "../../cli/options.ts";
import type { Host } from "../../engine/host.ts";
import { hooksAreOff } from "../../engine/run-context.ts";
import type { DialectName, EventName } from "../../protocol/event.ts";
import type { UsageProblem } from "../../protocol/problem.ts";
import type { Result } from "../../protocol/result.ts";

/** The options of `run`, with its argument and defaults. */
export interface RunCommandOptions extends Omit<OptionsOf<"run">, "stdinTimeoutMs" | "as"> {
  readonly event: EventName;
  /** The dialect in which the caller typed the event's name; stdin may be in it. */
  readonly nameDialect: DialectName;
  readonly stdinTimeoutMs: number;
  /** The dialect of the result. */
  readonly as: DialectName;
  /** `--no-hooks` or its variable. */
  readonly isOff: boolean;
}

const STDIN_TIMEOUT_MS = 10_000;

export function readRunOptions(
  { args: [name = ""], options }: CommandLine<"run">,
  host: Host,
): Result<RunCommandOptions, UsageProblem> {
  const named = readNamedEvent(name);
  if (!named.ok) return named;
  const value = {
    ...options,
    event: named.value.event,
    nameDialect: named.value.dialect,
    stdinTimeoutMs: options.stdinTimeoutMs ?? STDIN_TIMEOUT_MS,
    as: options.as ?? "kodelet",
    isOff: hooksAreOff(options, host),
  };
  return { ok: true, value };
}
