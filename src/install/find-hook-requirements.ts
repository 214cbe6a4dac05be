import type { CommonOptions } from "../cli/command-table.ts";
import { hooksAreOff } from "../cli/run-options.ts";
import { findAllCandidates } from "../engine/hooks/candidates.ts";
import { resolveHooks } from "../engine/hooks/resolve-hooks.ts";
import { createRunContext, type RunContext } from "../engine/run-context.ts";
import type { Host } from "../host.ts";
import { closeInheritedOnFirstStart } from "../process/descriptors.ts";
import { type HookRequirements, NO_REQUIREMENTS, requirementsOf } from "./hook-requirements.ts";

/** What the hooks of the project and the user require. Unusable settings require nothing. */
export async function hookRequirementsFor(options: CommonOptions, host: Host): Promise<HookRequirements> {
  const started = await createRunContext(options, host, !hooksAreOff(options, host));
  return started.ok ? hookRequirementsIn(started.value.context) : NO_REQUIREMENTS;
}

export async function hookRequirementsIn(context: RunContext): Promise<HookRequirements> {
  closeInheritedOnFirstStart();
  return requirementsOf((await resolveHooks(findAllCandidates(context), context, null)).hooks);
}
