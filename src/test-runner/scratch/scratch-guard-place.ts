import { allGuards } from "../../config/merge-settings.ts";
import { movedGuardPlace } from "../../engine/run/guard-place.ts";
import type { RunContext } from "../../engine/run-context.ts";
import type { GuardPlace } from "../../invoke/invoke-guard.ts";

/** What a built-in guard knows in a test: the scratch project and the scratch home are the project and the home. */
export function scratchGuardPlace(context: RunContext, project: string): GuardPlace {
  const place = movedGuardPlace(context, { home: context.env.HOME ?? project, project });
  return { ...place, guards: allGuards(place.guards) };
}
