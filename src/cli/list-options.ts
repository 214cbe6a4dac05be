import type { EventName } from "../protocol/event.ts";
import type { Source } from "../protocol/hook.ts";
import type { UsageProblem } from "../protocol/problem.ts";
import { ok, type Result } from "../protocol/result.ts";
import { type CommonOptions, readCommonOptions, readEvent, sourceOption, textOption } from "./common-options.ts";
import type { CommandLine } from "./option-table.ts";

export interface ListOptions extends CommonOptions {
  readonly isAll: boolean;
  /** `--strict`: what would not start fails the call. */
  readonly isStrict: boolean;
  readonly event: EventName | null;
  readonly source: Source | null;
}

export function readListOptions(line: CommandLine): Result<ListOptions, UsageProblem> {
  const options = readCommonOptions(line);
  if (!options.ok) return options;
  const source = sourceOption(line.options);
  if (!source.ok) return source;
  const name = textOption(line.options, "--event");
  const event = name === null ? ok(null) : readEvent(name);
  if (!event.ok) return event;
  return ok({
    ...options.value,
    isAll: line.options["--all"] === true,
    isStrict: line.options["--strict"] === true,
    event: event.value,
    source: source.value,
  });
}
