import type { Host } from "../host.ts";
import { DIALECT_NAMES, type DialectName, type EventName } from "../protocol/event.ts";
import type { UsageProblem } from "../protocol/problem.ts";
import { fail, ok, type Result } from "../protocol/result.ts";
import {
  type CommonOptions,
  choiceOption,
  durationOption,
  hooksAreOff,
  readCommonOptions,
  readNamedEvent,
  textOption,
} from "./common-options.ts";
import type { CommandLine } from "./option-table.ts";

export interface RunOptions extends CommonOptions {
  readonly event: EventName;
  /** The dialect in which the caller typed the event's name; stdin may be in it. */
  readonly nameDialect: DialectName;
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

export function readRunOptions(line: CommandLine, host: Host): Result<RunOptions, UsageProblem> {
  const options = readCommonOptions(line);
  if (!options.ok) return options;
  const [word] = line.args;
  if (word === undefined)
    return fail({ code: "USAGE_WRONG_WORDS", detail: "run needs an event.", tryThis: RUN_EXAMPLE });
  const named = readNamedEvent(word);
  if (!named.ok) return named;
  const stdinTimeout = durationOption(line.options, "--stdin-timeout");
  if (!stdinTimeout.ok) return stdinTimeout;
  const dialect = choiceOption(line.options, "--as", DIALECT_NAMES);
  if (!dialect.ok) return dialect;
  const isStrict = line.options["--strict"] === true;
  if (isStrict && line.options["--dry-run"] !== true)
    return fail({ code: "USAGE_WRONG_WORDS", detail: "--strict needs --dry-run.", tryThis: STRICT_EXAMPLE });
  return ok({
    ...options.value,
    event: named.value.event,
    nameDialect: named.value.dialect,
    dryRun: line.options["--dry-run"] === true,
    isStrict,
    ask: line.options["--ask"] === true,
    payloadFile: textOption(line.options, "--payload"),
    stdinTimeoutMs: stdinTimeout.value ?? STDIN_TIMEOUT_MS,
    as: dialect.value ?? "kodelet",
    isOff: hooksAreOff(options.value, host),
  });
}

const STRICT_EXAMPLE = "hookctl run before_tool_call --dry-run --strict";
const RUN_EXAMPLE = "hookctl payload before_tool_call | hookctl run before_tool_call";
