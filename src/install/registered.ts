import { isOurLine } from "./bridge-line.ts";
import { type Found, listOf, recordOf, textOf } from "./found.ts";

/** One line of ours as it stands in an agent's settings. */
export interface RegisteredLine {
  readonly event: string;
  readonly command: string;
  /** Its place among the groups of its event, and in its group: by these Codex remembers what is trusted. */
  readonly group: number;
  readonly handler: number;
  /** What its group is narrowed to; empty: nothing. */
  readonly matcher: string;
}

/** Our lines in an agent's settings, whoever wrote them. */
export function registeredLines(settings: Found, agent: string): readonly RegisteredLine[] {
  return Object.entries(recordOf(settings.hooks)).flatMap(([event, groups]) =>
    listOf(groups).flatMap((one, group) =>
      handlersOf(recordOf(one)).flatMap(({ command }, handler): readonly RegisteredLine[] =>
        typeof command === "string" && isOurLine(command, agent)
          ? [{ event, command, group, handler, matcher: textOf(recordOf(one).matcher) }]
          : [],
      ),
    ),
  );
}

/** Agents write a handler alone, or several in a group. */
export const handlersOf = (entry: Found): readonly Found[] =>
  Array.isArray(entry.hooks) ? entry.hooks.map(recordOf) : [entry];
