import type { FoundRegistration } from "../agents/agent-install.ts";
import { arrayOr, objectOr, stringOr, type UncheckedObject } from "../protocol/json/read.ts";
import { isHookctlCommand } from "./create-registrations.ts";

/** The registrations of hookctl in an agent's settings, whoever wrote them. */
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

/** The handlers of a group, or a handler without a group. */
export const handlersOf = (entry: UncheckedObject): readonly UncheckedObject[] =>
  Array.isArray(entry.hooks) ? entry.hooks.map(objectOr) : [entry];
