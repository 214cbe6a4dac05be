import { isHookctlCommand } from "./registration-command.ts";
import { arrayOr, objectOr, stringOr, type UncheckedObject } from "./unchecked.ts";

/** One line of ours as it stands in an agent's settings. */
export interface FoundRegistration {
  readonly event: string;
  readonly command: string;
  /** Its place among the groups of its event, and in its group: by these Codex remembers what is trusted. */
  readonly group: number;
  readonly handler: number;
  /** What its group is narrowed to; empty: nothing. */
  readonly matcher: string;
}

/** Our lines in an agent's settings, whoever wrote them. */
export function findRegistrations(settings: UncheckedObject, agent: string): readonly FoundRegistration[] {
  return Object.entries(objectOr(settings.hooks)).flatMap(([event, groups]) =>
    arrayOr(groups).flatMap((one, group) =>
      handlersOf(objectOr(one)).flatMap(({ command }, handler): readonly FoundRegistration[] =>
        typeof command === "string" && isHookctlCommand(command, agent)
          ? [{ event, command, group, handler, matcher: stringOr(objectOr(one).matcher) }]
          : [],
      ),
    ),
  );
}

/** Agents write a handler alone, or several in a group. */
export const handlersOf = (entry: UncheckedObject): readonly UncheckedObject[] =>
  Array.isArray(entry.hooks) ? entry.hooks.map(objectOr) : [entry];
