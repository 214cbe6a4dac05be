import type { UsageProblem } from "../protocol/problem.ts";
import { ok, type Result } from "../protocol/result.ts";
import type { RawLine } from "./flag-table.ts";
import { readEvent, readFlags, sourceFlag, textFlag } from "./flags.ts";
import type { ListFlags } from "./list.ts";

export function readListFlags(line: RawLine): Result<ListFlags, UsageProblem> {
  const flags = readFlags(line);
  if (!flags.ok) return flags;
  const source = sourceFlag(line.flags);
  if (!source.ok) return source;
  const name = textFlag(line.flags, "--event");
  const event = name === null ? ok(null) : readEvent(name);
  if (!event.ok) return event;
  return ok({
    ...flags.value,
    isAll: line.flags["--all"] === true,
    isStrict: line.flags["--strict"] === true,
    event: event.value,
    source: source.value,
  });
}
