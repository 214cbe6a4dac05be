import { DIALECT_NAMES, type DialectName, type EventName } from "../protocol/event.ts";
import type { UsageProblem } from "../protocol/problem.ts";
import { fail, ok, type Result } from "../protocol/result.ts";
import type { World } from "../world.ts";
import type { RawLine } from "./flag-table.ts";
import { choiceFlag, durationFlag, type Flags, isSwitchedOff, readFlags, readNamedEvent, textFlag } from "./flags.ts";

export interface RunFlags extends Flags {
  readonly event: EventName;
  /** The dialect in which the caller typed the event's name; stdin may be in it. */
  readonly typedIn: DialectName;
  readonly dryRun: boolean;
  /** `--strict`: what would not start fails the call. */
  readonly isStrict: boolean;
  /** `--ask`: what is not approved, and what a hook wants asked, is asked on the terminal. */
  readonly ask: boolean;
  readonly payloadFile: string | null;
  readonly stdinTimeoutMs: number;
  /** The dialect of the result. */
  readonly as: DialectName;
  /** `--no-hooks` or its variable. */
  readonly isOff: boolean;
}

const STDIN_TIMEOUT_MS = 10_000;

export function readRunFlags(line: RawLine, world: World): Result<RunFlags, UsageProblem> {
  const flags = readFlags(line);
  if (!flags.ok) return flags;
  const [word] = line.words;
  if (word === undefined)
    return fail({ code: "USAGE_WRONG_WORDS", detail: "run needs an event.", tryThis: RUN_EXAMPLE });
  const named = readNamedEvent(word);
  if (!named.ok) return named;
  const stdinTimeout = durationFlag(line.flags, "--stdin-timeout");
  if (!stdinTimeout.ok) return stdinTimeout;
  const dialect = choiceFlag(line.flags, "--as", DIALECT_NAMES);
  if (!dialect.ok) return dialect;
  const isStrict = line.flags["--strict"] === true;
  if (isStrict && line.flags["--dry-run"] !== true)
    return fail({ code: "USAGE_WRONG_WORDS", detail: "--strict needs --dry-run.", tryThis: STRICT_EXAMPLE });
  return ok({
    ...flags.value,
    event: named.value.event,
    typedIn: named.value.dialect,
    dryRun: line.flags["--dry-run"] === true,
    isStrict,
    ask: line.flags["--ask"] === true,
    payloadFile: textFlag(line.flags, "--payload"),
    stdinTimeoutMs: stdinTimeout.value ?? STDIN_TIMEOUT_MS,
    as: dialect.value ?? "kodelet",
    isOff: isSwitchedOff(flags.value, world),
  });
}

const STRICT_EXAMPLE = "hookctl run before_tool_call --dry-run --strict";
const RUN_EXAMPLE = "hookctl payload before_tool_call | hookctl run before_tool_call";
